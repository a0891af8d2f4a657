// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "flow/command.h"

namespace packetwarp::flow {

// Text that parse_command reads back to an equal value, in one spelling: attributes in the order group, priority,
// ingress, egress, transfer; decimal numbers; lower-case addresses. A command in that spelling is printed unchanged.

// "flow create 0 group 1 ingress pattern eth / end actions drop / end"
[[nodiscard]] std::string to_text(command const& what);
// "group 1 ingress pattern eth / end actions drop / end"
[[nodiscard]] std::string to_text(rule const& what);
// "eth src is 02:00:00:00:00:01"
[[nodiscard]] std::string to_text(item const& what);
// "queue index 1"
[[nodiscard]] std::string to_text(action const& what);

}  // namespace packetwarp::flow
