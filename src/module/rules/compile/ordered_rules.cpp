// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/ordered_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "module/rules/compile/overlap.h"

namespace packetwarp::flow {

port_groups groups_of(rule_book const& book, compiled_rules const& compiled, port_id port) {
  port_groups groups;
  for (auto const& one : book.rules_of(port)) {
    auto const& made = compiled.all[compiled.position.at({port, one.number})];
    groups[{made.direction, made.group}].push_back({&one, &made});
  }
  for (auto& [key, rules] : groups) {
    std::stable_sort(rules.begin(), rules.end(),
                     [](auto const& a, auto const& b) { return a.made->priority < b.made->priority; });
  }
  return groups;
}

std::vector<rules_input> inputs_of(std::vector<known_rule> const& rules) {
  std::vector<rules_input> made;
  made.reserve(rules.size());
  for (auto const& one : rules) made.push_back(*one.made);
  return made;
}

std::optional<std::string> disorder(std::vector<known_rule> const& rules) {
  overlap_index index{inputs_of(rules)};
  if (index.shapes() > most_shapes) return too_many_shapes(index.shapes());
  for (auto const& one : rules) {
    if (index.meets(*one.made, one.made->priority)) return same_priority(*one.written);
    index.add(*one.made, one.made->priority);
  }
  return std::nullopt;
}

std::string too_many_shapes(std::size_t shapes) {
  return fmt::format("its port's rules look at packets in {} ways; up to {} are compared with each other", shapes,
                     most_shapes);
}

std::string same_priority(numbered_rule const& one) {
  return fmt::format("rule {} and an earlier one of its priority may match the same packet", one.number);
}

}  // namespace packetwarp::flow
