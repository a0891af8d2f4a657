// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/control/line_server.h"
#include "cli/control/request.h"
#include "network/network.h"

namespace packetwarp {

// "show rules": flow rules, port for port in the order of their creation, from row `from` on, `limit` rows at most:
//   {"version","changing","total","rules":[{"interface","port","rule","line","group","priority","on","why","hits","bytes",
//   "text"}],"next"}
// `version` is another one for other rules; a page is of one. Some rules a call: a count may be in a NIC, or in a GPU's
// memory. net outlives the work. Throws usage_error where the network has no rules.
[[nodiscard]] request_work show_rules(request const& asked, network& net);

}  // namespace packetwarp
