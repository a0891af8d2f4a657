// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "flow/compile/table.h"

namespace packetwarp::flow {

// A rule's actions as tables do them. `on` is the port it belongs to. Throws usage_error: which action, and what would
// do.
[[nodiscard]] std::vector<rules_action> compile_actions(rule const& what, rules_direction direction, port_id on,
                                                        std::span<port_queues const> ports);

// The parts of it that the tables leave undone.
[[nodiscard]] std::vector<std::string> undone(rule const& what);

}  // namespace packetwarp::flow
