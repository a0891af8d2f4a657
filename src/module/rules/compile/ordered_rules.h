// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flow/rule_book.h"
#include "module/rules/compile/table.h"

namespace packetwarp::flow {

// A rule of a port with its compiled form.
struct known_rule {
  numbered_rule const* written;
  rules_input const* made;
};

using group_key = std::pair<rules_direction, std::uint32_t>;
// The rules of each group in the order in which they apply.
using port_groups = std::map<group_key, std::vector<known_rule>>;

// book, compiled: outlive it.
[[nodiscard]] port_groups groups_of(rule_book const& book, compiled_rules const& compiled, port_id port);

[[nodiscard]] std::vector<rules_input> inputs_of(std::vector<known_rule> const& rules);

// Beyond this many kinds of pattern on a port the search for rules that meet would take too long.
inline constexpr std::size_t most_shapes = 128;

// The reason why a NIC cannot keep the order of these rules: a packet may match two of one priority, and only tables
// define which applies.
[[nodiscard]] std::optional<std::string> disorder(std::vector<known_rule> const& rules);

// The same in words.
[[nodiscard]] std::string too_many_shapes(std::size_t shapes);
[[nodiscard]] std::string same_priority(numbered_rule const& one);

}  // namespace packetwarp::flow
