// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "flow/compile/table.h"

namespace packetwarp::flow {

// What a rule's actions are done as. `on` is the port it belongs to. Throws usage_error: which action, and what would
// do.
[[nodiscard]] std::vector<rules_action> compile_actions(rule const& what, rules_direction direction, port_id on,
                                                        std::span<port_queues const> ports);

// What the tables leave undone of it.
[[nodiscard]] std::vector<std::string> undone(rule const& what);

}  // namespace packetwarp::flow
