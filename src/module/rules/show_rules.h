// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module/rules/rule_tables.h"
#include "module/run_view.h"
#include "request/request.h"

namespace packetwarp {

// "show rules": flow rules, port by port in the order of their creation, from row `from` on, `limit` rows at most:
// {"version","changing","total","rules":[{"interface","port","rule","line","group","priority","on","why","hits","bytes",
//   "text"}],"next"}
// `version` changes with the rules; a page is of one version. Each call does some rules: a count may be in a NIC, or in
// a GPU's memory. Both outlive the work.
[[nodiscard]] request_work show_rules(request const& asked, rule_tables& rules, run_view& run);

}  // namespace packetwarp
