// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "module/rules/compile/table.h"

namespace packetwarp::flow {

// A rule's actions in the form of tables. `on` is the port that it belongs to. Throws usage_error with the action, and
// a remedy.
[[nodiscard]] std::vector<rules_action> compile_actions(rule const& what, rules_direction direction, port_id on,
                                                        std::span<port_queues const> ports);

// The parts of the rule that the tables leave undone.
[[nodiscard]] std::vector<std::string> undone(rule const& what);

}  // namespace packetwarp::flow
