// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "flow/rule_place.h"
#include "module/rules/compile/actions.h"
#include "module/rules/compile/pattern.h"

namespace packetwarp::flow {
namespace {

[[nodiscard]] rules_direction direction_of(attributes const& attr) {
  if (attr.ingress && attr.egress) throw usage_error("it is of ingress and of egress; write a rule for each");
  if (attr.egress && attr.transfer) throw usage_error("it is of transfer and of egress; write a rule for each");
  if (attr.transfer) return rules_direction::transfer;
  if (attr.egress) return rules_direction::egress;
  if (attr.ingress) return rules_direction::ingress;
  throw usage_error("it has no direction; say ingress, egress or transfer");
}

[[nodiscard]] std::string name_of(port_id port, numbered_rule const& one) {
  auto const name = fmt::format("flow rule {} of port {}", one.number, port.value());
  return one.line == 0 ? name : fmt::format("{} (line {})", name, one.line);
}

// The rule's place in its file comes first, if it has one.
[[nodiscard]] std::string place_of(port_id port, numbered_rule const& one, std::filesystem::path const& file) {
  if (file.empty() || one.line == 0) return name_of(port, one);
  return fmt::format("{}: flow rule {} of port {}", place_of(file, one.line, rule_part{}), one.number, port.value());
}

}  // namespace

rules_input compile_rule(port_id port, rule const& what, std::span<port_queues const> ports) {
  rules_input made;
  made.direction = direction_of(what.attr);
  made.port = port;
  made.group = what.attr.group.value_or(0);
  made.priority = what.attr.priority.value_or(0);
  auto pattern = compile_pattern(what.pattern);
  made.facts_mask = pattern.facts_mask;
  made.facts = pattern.facts;
  made.words = std::move(pattern.words);
  made.ranges = std::move(pattern.ranges);
  made.actions = compile_actions(what, made.direction, port, ports);
  return made;
}

compiled_rules compile_rules(rule_book const& book, std::span<port_queues const> ports,
                             std::filesystem::path const& file) {
  compiled_rules made;
  for (auto const port : book.ports()) {
    made.ports.push_back({port, book.is_isolated(port)});
    for (auto const& one : book.rules_of(port)) {
      try {
        made.all.push_back(compile_rule(port, one.what, ports));
      } catch (usage_error const& error) {
        throw usage_error(fmt::format("{}: {}", place_of(port, one, file), error.what()));
      }
      made.position[{port, one.number}] = made.all.size() - 1;
      for (auto const& line : undone(one.what)) made.notes.push_back(fmt::format("{}: {}", name_of(port, one), line));
    }
  }
  return made;
}

std::string query_text(rules_counter const& seen) {
  return fmt::format("COUNT:\n hits_set: 1\n bytes_set: 1\n hits: {}\n bytes: {}\n", seen.hits, seen.bytes);
}

}  // namespace packetwarp::flow
