// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "cli/control/line_server.h"
#include "cli/control/request.h"
#include "cli/run/network.h"
#include "cli/run/rules_work.h"

namespace packetwarp {

// Changes the rules of a running network: waits for its turn, puts in force what `wanted` makes of them, and answers
// what `result` says then. wanted: any thread; what it throws is the answer, and nothing is changed.
[[nodiscard]] request_work edit_rules(network& net, rules_work::maker wanted, std::function<json()> result);

}  // namespace packetwarp
