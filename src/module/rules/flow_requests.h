// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "flow/command.h"
#include "module/rules/rule_tables.h"
#include "module/run_view.h"
#include "request/request.h"

namespace packetwarp {

// Carries out a command in testpmd's grammar (`text`, such as "flow list 0") on the rules of a running network;
// {"text"} is testpmd's output, to which `flow list` adds the place where a rule runs and its hits. A change is
// answered when it is in force. Both outlive the work. Throws usage_error for a wrong command.
[[nodiscard]] request_work carry_out_flow(request const& asked, rule_tables& rules, run_view& run);

// Its parts that only look at the rules; each slice is short for any number of them. rules: outlives the work.
[[nodiscard]] request_work list_flow(rule_tables const& rules, flow::command const& asked);
[[nodiscard]] request_work validate_flow(rule_tables const& rules, flow::command const& asked);
// Asks for the count of that rule alone.
[[nodiscard]] std::string query_flow(rule_tables const& rules, flow::command const& asked);

}  // namespace packetwarp
