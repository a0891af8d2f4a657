// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "function/inspection/record/alert.h"
#include "function/record/record_journal.h"

namespace packetwarp {

// The alerts of the executors of a place.
using alert_journal = record_journal<inspection_parts::alert, 4096>;

}  // namespace packetwarp
