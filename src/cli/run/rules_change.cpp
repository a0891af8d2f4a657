// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/rules_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string list_of(std::span<flow::port_queues const> ports) {
  std::string all;
  for (auto const& one : ports) all += fmt::format("{}{}", all.empty() ? "" : ", ", one.port.value());
  return all;
}

void require_known_ports(rules_build const& build, flow::rule_book const& book,
                         std::span<flow::port_queues const> ports) {
  for (auto const port : book.ports()) {
    if (!book.rules_of(port).empty()) require_known_port(ports, port);
  }
  for (auto const& from : ports) {
    if (from.port.value() >= max_rules_ports) continue;
    for (std::uint16_t to = 0; to < max_rules_ports; ++to) {
      if ((build.sent_to[from.port.value()] >> to & 1U) != 0) require_known_port(ports, port_id{to});
    }
  }
}

// A rule with the same number that says the same is the same rule.
void keep_counters(rules_state const& from, flow::rule_book const& wanted, flow::compiled_rules& compiled) {
  for (auto const& [name, n] : compiled.position) {
    auto const before = from.compiled.position.find(name);
    if (before == from.compiled.position.end()) continue;
    auto const& [port, number] = name;
    if (from.book.at(port, number).what == wanted.at(port, number).what) {
      compiled.all[n].counter = from.counters[before->second];
    }
  }
}

}  // namespace

rules_state state_of(rule_tables const& rules) {
  rules.require_changeable();
  auto const counters = rules.cpu().counters();
  return {.book = rules.book(),
          .compiled = rules.compiled(),
          .queues = {rules.queues().begin(), rules.queues().end()},
          .counters = {counters.begin(), counters.end()},
          .before_routes = rules.are_before_routes()};
}

rules_change make_rules_change(rules_state const& from, flow::rule_book wanted, std::string const& file) {
  auto compiled = flow::compile_rules(wanted, from.queues);
  if (from.before_routes) require_decided_changes(wanted, compiled, file);
  keep_counters(from, wanted, compiled);
  rules_build build{compiled.all, compiled.ports, from.counters};
  require_known_ports(build, wanted, from.queues);
  return {std::move(wanted), std::move(compiled), std::move(build)};
}

void require_known_port(std::span<flow::port_queues const> ports, port_id port) {
  bool const is_known = std::any_of(ports.begin(), ports.end(), [&](auto const& one) { return one.port == port; });
  if (!is_known)
    throw usage_error(fmt::format("port {}: none of the network's, which are {}", port.value(), list_of(ports)));
}

}  // namespace packetwarp
