// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/rules/rule_tables.h"
#include "module/run_view.h"
#include "request/request.h"

namespace packetwarp {

// A command in testpmd's grammar (`text`, such as "flow list 0") to the rules of a running network; {"text"} is what
// testpmd would print, and where `flow list` says where a rule runs and how often it hit. A change is answered when it
// is in force. Both outlive the work. Throws usage_error for a command that is wrong.
[[nodiscard]] request_work carry_out_flow(request const& asked, rule_tables& rules, run_view& run);

}  // namespace packetwarp
