// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rules_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "flow/parser.h"
#include "flow/rule_place.h"
#include "module/rules/compile/fate.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::vector<port_id> ports_of(std::span<flow::port_queues const> queues) {
  std::vector<port_id> all;
  for (auto const& one : queues) all.push_back(one.port);
  return all;
}

void require_port(std::vector<port_id> const& ports, port_id port) {
  if (std::find(ports.begin(), ports.end(), port) != ports.end()) return;
  std::string all;
  for (auto const one : ports) all += fmt::format("{}{}", all.empty() ? "" : ", ", one.value());
  throw usage_error(fmt::format("port {}: none of the network's, which are {}", port.value(), all));
}

}  // namespace

flow::rule_book read_rules_book(rules_config const& config, std::vector<port_id> const& ports) {
  flow::rule_book book;
  if (config.isolate) {
    for (auto const port : ports) book.isolate(port, flow::set_state::on);
  }
  for (auto const& one : flow::load_file(config.file)) {
    try {
      require_port(ports, one.what.port);
      (void)book.apply(one.what, one.line);
    } catch (usage_error const& error) {
      throw usage_error(fmt::format("{}: {}", flow::place_of(config.file, one.line, {}), error.what()));
    }
  }
  return book;
}

void require_known_ports(flow::rule_book const& book, flow::compiled_rules const& compiled,
                         std::span<flow::port_queues const> queues, std::string const& file) {
  auto const ports = ports_of(queues);
  for (auto const& [key, n] : compiled.position) {
    for (auto const& one : compiled.all[n].actions) {
      if (one.verb != rules_verb::leave) continue;
      try {
        require_port(ports, port_id{static_cast<std::uint16_t>(one.value)});
      } catch (usage_error const& error) {
        auto const line = book.at(key.first, key.second).line;
        if (line == 0) throw;  // it was typed
        throw usage_error(fmt::format("{}: {}", flow::place_of(file, line, {}), error.what()));
      }
    }
  }
}

void require_known_port(std::span<flow::port_queues const> queues, port_id port) {
  require_port(ports_of(queues), port);
}

void require_decided_changes(flow::rule_book const& book, flow::compiled_rules const& compiled,
                             std::string const& file) {
  for (auto const& [key, n] : compiled.position) {
    auto const& rule = compiled.all[n];
    if (rule.direction == rules_direction::egress || !flow::changes_packets(rule)) continue;
    if (flow::ends_packets(rule)) continue;
    auto const line = book.at(key.first, key.second).line;
    throw usage_error(
        fmt::format("{}: the rule changes packets and leaves it to routes or other rules where they go; say where "
                    "(queue, port_id, drop), or leave out routes",
                    flow::place_of(file, line, {})));
  }
}

}  // namespace packetwarp
