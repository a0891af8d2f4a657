// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/spdlog.h>

#include "base/format_once.h"

namespace packetwarp {

// The program's log: one line per event on standard error, so that standard output holds results only. For set-up and
// the master worker; a forwarding worker counts instead of logging. Control characters come out as \xNN. If standard
// error accepts no bytes, lines are lost and counted (base/process/standard_error.h), and no thread is held up.
// Thread-safe.
spdlog::logger& log();

}  // namespace packetwarp
