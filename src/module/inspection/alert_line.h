// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "function/inspection/record/alert.h"
#include "inspect/language/rule_set.h"

namespace packetwarp {

[[nodiscard]] std::string_view to_string(inspect::rule_action action);

// A line with the field names of Suricata's EVE, without the line's end (docs/functions/inspect.md).
// interface: the one by which the packet came in. packet: its frame, or empty.
[[nodiscard]] std::string alert_line(inspection_parts::alert const& seen, inspect::rule_set const& rules,
                                     std::string_view interface, std::chrono::system_clock::time_point now,
                                     std::span<std::byte const> packet);

}  // namespace packetwarp
