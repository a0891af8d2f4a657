// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/rule_tables.h"

#include "flow/parser.h"

namespace packetwarp {
namespace {

[[nodiscard]] flow::rule_book read_book(rules_config const& config, std::vector<port_id> const& ports) {
  flow::rule_book book;
  if (config.isolate) {
    for (auto const port : ports) book.isolate(port, flow::set_state::on);
  }
  for (auto const& one : flow::load_file(config.file)) (void)book.apply(one.what, one.line);
  return book;
}

[[nodiscard]] std::vector<flow::port_queues> queues_of(rules_config const& config, std::vector<port_id> const& ports) {
  std::vector<flow::port_queues> all;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    flow::port_queues one{
        .port = ports[i], .receive = config.receive_queues, .hairpin = config.hairpin_queues, .hairpin_peer = {}};
    if (config.hairpin_queues != 0 && (i ^ 1) < ports.size()) one.hairpin_peer = ports[i ^ 1];
    all.push_back(one);
  }
  return all;
}

}  // namespace

rule_tables::rule_tables(rules_config const& config, std::vector<port_id> const& ports, table_place place)
    : book_{read_book(config, ports)},
      compiled_{flow::compile_rules(book_, queues_of(config, ports))},
      cpu_{compiled_.all, compiled_.ports, {}} {
  if (place.gpu != table_place::host) gpu_ = std::make_unique<rules_table>(compiled_.all, compiled_.ports, place);
}

void rule_tables::abandon() {
  if (gpu_) gpu_->abandon();
}

}  // namespace packetwarp
