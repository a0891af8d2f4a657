// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/rules_source.h"

#include <fmt/format.h>

#include "base/error.h"
#include "flow/compile/fate.h"
#include "flow/parser.h"
#include "flow/rule_place.h"

namespace packetwarp {

flow::rule_book read_rules_book(rules_config const& config, std::vector<port_id> const& ports) {
  flow::rule_book book;
  if (config.isolate) {
    for (auto const port : ports) book.isolate(port, flow::set_state::on);
  }
  for (auto const& one : flow::load_file(config.file)) (void)book.apply(one.what, one.line);
  return book;
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
