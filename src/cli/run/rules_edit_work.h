// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cli/control/line_server.h"
#include "cli/control/request.h"
#include "cli/run/network.h"
#include "cli/run/rules_change.h"

namespace packetwarp {

// Changes the rules of a running network: waits for its turn, has `plan` work out the change on a thread of its own,
// puts it in force, and answers what `result` says then. plan: any thread; what it throws is the answer, and nothing is
// changed.
[[nodiscard]] request_work edit_rules(network& net, std::function<rules_change(rules_state const&)> plan,
                                      std::function<json()> result);

}  // namespace packetwarp
