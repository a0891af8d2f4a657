// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/rule_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

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

namespace {

// Who runs tables, which has to be who was asked for.
[[nodiscard]] flow::rule_site tables_of(rules_config const& config, std::string const& file,
                                        data_plane_config const& plane) {
  bool const on_gpu = needs_gpu(plane.executor);
  auto const refuse = [&](std::string_view wanted, std::string_view fix) {
    throw usage_error(fmt::format("{}:{}: rules.on: {} asked for, and the executor is {}; give rules.on: auto, or {}",
                                  file, config.line, wanted, to_string(plane.executor), fix));
  };
  if (config.on == rules_on::gpu && !on_gpu) refuse("gpu", "data_plane.executor: kernel, persistent or graph");
  if (config.on == rules_on::cpu && on_gpu) refuse("cpu", "data_plane.executor: cpu");
  return on_gpu ? flow::rule_site::gpu : flow::rule_site::cpu;
}

[[nodiscard]] bool counts(flow::rule const& what) {
  return std::any_of(what.actions.begin(), what.actions.end(),
                     [](auto const& one) { return one.kind == flow::action_kind::count; });
}

[[nodiscard]] std::vector<flow::sited_rule> all_at(flow::rule_book const& book, flow::rule_site site) {
  std::vector<flow::sited_rule> all;
  for (auto const port : book.ports()) {
    for (auto const& one : book.rules_of(port)) all.push_back({port, one.number, site, ""});
  }
  return all;
}

}  // namespace

rule_tables::rule_tables(rules_config const& config, std::string const& file, data_plane_config const& plane)
    : config_{config},
      ports_{config_, book_, file},
      function_{plane.function},
      tables_{tables_of(config, file, plane)} {}

void rule_tables::prepare(plan& planned) {
  std::vector<port_id> ids;
  for (auto const& port : planned.ports) ids.push_back(port.facts.id);
  book_ = read_rules_book(config_, ids);
  ports_.prepare(planned);
  queues_ = ports_.queues(ids);
  // What a NIC means by its rules is for it to say.
  if (config_.on == rules_on::nic) return;
  compiled_ = flow::compile_rules(book_, queues_);
  if (are_before_routes()) require_decided_changes(book_, compiled_, config_.file);
}

void rule_tables::require_changeable() const {
  bool const has_nics =
      std::any_of(sited_.begin(), sited_.end(), [](auto const& one) { return one.site == flow::rule_site::nic; });
  if (has_nics) {
    throw usage_error(fmt::format(
        "NICs run rules of {}, and those are shared out when the network starts; start again, or with rules.on: {}",
        config_.file, to_string(tables_)));
  }
}

void rule_tables::install(std::deque<port>& ports, table_place place) {
  if (config_.on == rules_on::nic) {
    ports_.create_all(ports);
    sited_ = all_at(book_, flow::rule_site::nic);
  } else if (config_.on == rules_on::automatic) {
    sited_ = ports_.share_out(ports, compiled_, tables_);
    compiled_ = flow::without_egress_of_nics(compiled_, sited_);
  } else {
    sited_ = all_at(book_, tables_);
  }
  cpu_ = std::make_unique<rules_table>(compiled_.all, compiled_.ports, table_place{});
  if (place.gpu != table_place::host) gpu_ = std::make_unique<rules_table>(compiled_.all, compiled_.ports, place);
}

std::vector<std::string> rule_tables::notices() const {
  std::vector<std::string> lines;
  for (auto const port : book_.ports()) {
    std::size_t in_table = 0;
    flow::sited_rule const* first{};
    for (auto const& one : sited_) {
      if (one.port != port || one.site == flow::rule_site::nic) continue;
      if (in_table++ == 0) first = &one;
    }
    if (in_table == 0 || first->why.empty()) continue;
    lines.push_back(fmt::format("flow rules of port {}: {} of {} run on {}; the first is rule {} (line {}): {}",
                                port.value(), in_table, book_.rules_of(port).size(), to_string(tables_), first->number,
                                book_.at(port, first->number).line, first->why));
  }
  bool const has_tables =
      std::any_of(sited_.begin(), sited_.end(), [](auto const& one) { return one.site != flow::rule_site::nic; });
  if (has_tables) lines.insert(lines.end(), compiled_.notes.begin(), compiled_.notes.end());
  return lines;
}

std::optional<rules_counter> rule_tables::seen_by_tables(flow::rule_key const& key) const {
  auto const at = compiled_.position.find(key);
  if (at == compiled_.position.end()) return std::nullopt;
  auto seen = cpu_->counted(at->second);
  if (!seen || !gpu_) return seen;
  // The CPU goes on where a GPU has failed.
  if (auto const more = gpu_->counted(at->second)) {
    seen->hits += more->hits;
    seen->bytes += more->bytes;
  }
  return seen;
}

std::optional<rules_counter> rule_tables::seen_by_nic(port const& at, flow::numbered_rule const& rule) {
  if (!counts(rule.what)) return std::nullopt;
  auto const count = at.flows().count(rule.number);
  if (!count) return std::nullopt;
  return rules_counter{.hits = count->hits, .bytes = count->bytes};
}

std::vector<rule_status> rule_tables::status(std::deque<port> const& ports, std::size_t begin, std::size_t end) const {
  std::map<port_id, port const*> by_id;
  for (auto const& one : ports) by_id[one.facts().id] = &one;
  std::vector<rule_status> all;
  std::size_t first = 0;  // of the port's, among all
  for (auto const id : book_.ports()) {
    auto const rules = book_.rules_of(id);
    for (auto n = std::max(begin, first); n < std::min(end, first + rules.size()); ++n) {
      auto const& rule = rules[n - first];
      auto const& sited = sited_[n];
      // A rule may be for a port that is not in use; no NIC has it.
      auto const seen =
          sited.site == flow::rule_site::nic ? seen_by_nic(*by_id.at(id), rule) : seen_by_tables({id, rule.number});
      all.push_back({.port = id, .rule = &rule, .site = sited.site, .why = sited.why, .seen = seen});
    }
    first += rules.size();
  }
  return all;
}

void rule_tables::prepare(rules_build const& build) {
  // First what has less room.
  if (gpu_) gpu_->prepare(build);
  cpu_->prepare(build);
}

void rule_tables::publish(flow::rule_book book, flow::compiled_rules compiled) {
  if (gpu_) gpu_->publish();
  cpu_->publish();
  book_ = std::move(book);
  compiled_ = std::move(compiled);
  sited_ = all_at(book_, tables_);
  ++version_;
}

void rule_tables::abandon() {
  if (gpu_) gpu_->abandon();
}

}  // namespace packetwarp
