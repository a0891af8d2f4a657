// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/process/privileges.h"
#include "plan/plan.h"

namespace packetwarp {

// The rights that a finished plan needs. Called after the EAL has started: the EAL's IOVA mode decides.
[[nodiscard]] capability_set rights_of(plan const& made);

}  // namespace packetwarp
