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

void require_ports_of(rules_input const& rule, std::vector<port_id> const& ports) {
  for (auto const& one : rule.actions) {
    if (one.verb == rules_verb::leave) require_port(ports, port_id{static_cast<std::uint16_t>(one.value)});
  }
}

[[nodiscard]] bool decides_on_changes(rules_input const& rule) {
  return rule.direction == rules_direction::egress || !flow::changes_packets(rule) || flow::ends_packets(rule);
}
constexpr std::string_view undecided =
    "the rule changes packets and leaves it to routes or other rules where they go; say where (queue, port_id, drop), "
    "or leave out routes";

[[nodiscard]] std::string text_of(rules_config const& config) {
  try {
    return flow::text_of_file(config.file);
  } catch (usage_error const& error) {
    if (config.told.empty()) throw;
    throw usage_error(fmt::format("{}: {}", config.told, error.what()));
  }
}

}  // namespace

flow::rule_book read_rules_book(rules_config const& config, std::vector<port_id> const& ports) {
  flow::rule_book book;
  if (config.isolate) {
    for (auto const port : ports) book.isolate(port, flow::set_state::on);
  }
  for (auto const& one : flow::parse_text(text_of(config), config.file)) {
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
    try {
      require_ports_of(compiled.all[n], ports);
    } catch (usage_error const& error) {
      auto const line = book.at(key.first, key.second).line;
      if (line == 0) throw;  // it was typed
      throw usage_error(fmt::format("{}: {}", flow::place_of(file, line, {}), error.what()));
    }
  }
}

void require_known_port(std::span<flow::port_queues const> queues, port_id port) {
  require_port(ports_of(queues), port);
}

void require_decided_changes(flow::rule_book const& book, flow::compiled_rules const& compiled,
                             std::string const& file) {
  for (auto const& [key, n] : compiled.position) {
    if (decides_on_changes(compiled.all[n])) continue;
    auto const line = book.at(key.first, key.second).line;
    auto const place = line == 0 ? fmt::format("flow rule {} of port {}", key.second, key.first.value())
                                 : flow::place_of(file, line, {});
    throw usage_error(fmt::format("{}: {}", place, undecided));
  }
}

void require_valid(flow::rule_book const& book, std::span<flow::port_queues const> queues, unmatched_packets go,
                   std::string const& file) {
  auto const ports = ports_of(queues);
  for (auto const& one : book.validated()) {
    try {
      auto const made = flow::compile_rule(one.port, one.rule.what, queues);
      require_ports_of(made, ports);
      if (go == unmatched_packets::to_routes && !decides_on_changes(made)) throw usage_error(std::string{undecided});
    } catch (usage_error const& error) {
      throw usage_error(fmt::format("{}: flow validate: {}", flow::place_of(file, one.rule.line, {}), error.what()));
    }
  }
}

}  // namespace packetwarp
