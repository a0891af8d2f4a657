// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/rule_tables.h"

#include <utility>

#include "flow/parser.h"

namespace packetwarp {

flow::rule_book read_rules_book(rules_config const& config, std::vector<port_id> const& ports) {
  flow::rule_book book;
  if (config.isolate) {
    for (auto const port : ports) book.isolate(port, flow::set_state::on);
  }
  for (auto const& one : flow::load_file(config.file)) (void)book.apply(one.what, one.line);
  return book;
}

namespace {

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
    : book_{read_rules_book(config, ports)},
      queues_{queues_of(config, ports)},
      compiled_{flow::compile_rules(book_, queues_)},
      cpu_{compiled_.all, compiled_.ports, {}} {
  if (place.gpu != table_place::host) gpu_ = std::make_unique<rules_table>(compiled_.all, compiled_.ports, place);
}

std::optional<rules_counter> rule_tables::counted(port_id port, std::uint32_t number) const {
  auto const n = compiled_.position.at({port, number});
  auto seen = cpu_.counted(n);
  if (!seen || !gpu_) return seen;
  // The CPU goes on when the GPU has failed.
  auto const of_gpu = gpu_->counted(n).value_or(rules_counter{});
  return rules_counter{seen->hits + of_gpu.hits, seen->bytes + of_gpu.bytes};
}

void rule_tables::prepare(rules_build const& build) {
  // First what has less room.
  if (gpu_) gpu_->prepare(build);
  cpu_.prepare(build);
}

void rule_tables::publish(flow::rule_book book, flow::compiled_rules compiled) {
  if (gpu_) gpu_->publish();
  cpu_.publish();
  book_ = std::move(book);
  compiled_ = std::move(compiled);
}

void rule_tables::abandon() {
  if (gpu_) gpu_->abandon();
}

}  // namespace packetwarp
