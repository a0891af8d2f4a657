// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/spdlog.h>

namespace packetwarp {

// The program's log: one line an event on standard error, so that standard output holds results only. For set-up and
// the master worker; a forwarding worker counts instead of logging. Control characters come out as \xNN. A standard
// error that takes nothing loses lines, which are counted (base/process/standard_error.h), and holds up no thread.
// Thread-safe.
spdlog::logger& log();

}  // namespace packetwarp
