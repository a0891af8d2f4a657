// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rule_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "module/rules/rules_source.h"

namespace packetwarp {

namespace {

// The site that runs tables, which must be the one that the file asks for.
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

[[nodiscard]] rules_counter sum_of(rules_counter const& a, rules_counter const& b) {
  return {.hits = a.hits + b.hits, .bytes = a.bytes + b.bytes};
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
  // The NIC alone decides about its rules.
  if (config_.on == rules_on::nic) return;
  compiled_ = flow::compile_rules(book_, queues_, config_.file);
  require_known_ports(book_, compiled_, queues_, config_.file);
  if (are_before_routes()) require_decided_changes(book_, compiled_, config_.file);
  require_valid(book_, queues_, are_before_routes() ? unmatched_packets::to_routes : unmatched_packets::to_host,
                config_.file);
  book_.forget_validated();
}

void rule_tables::install(std::deque<port>& ports, table_places const& places) {
  ports_.use(ports);
  if (config_.on == rules_on::nic) {
    for (auto const& one : book_.validated()) ports_.require_taken(one.port, one.rule, config_.file);
    book_.forget_validated();
    ports_.create_all();
    sites_ = rule_sites{flow::all_at(book_, flow::rule_site::nic)};
  } else if (config_.on == rules_on::automatic) {
    auto shared = ports_.share_out(compiled_, tables_);
    compiled_ = flow::without_egress_of_nics(compiled_, shared.sited);
    sites_ = rule_sites{std::move(shared.sited)};
    refused_ = std::move(shared.refused);
    retry_ = std::move(shared.retry);
  } else {
    sites_ = rule_sites{flow::all_at(book_, tables_)};
  }
  cpu_ = std::make_unique<rules_table>(compiled_.all, compiled_.ports, table_place{});
  for (auto const& place : places) {
    gpus_.push_back(std::make_unique<rules_table>(compiled_.all, compiled_.ports, place));
  }
}

std::vector<std::string> rule_tables::notices() const {
  std::vector<std::string> lines;
  for (auto const port : book_.ports()) {
    std::size_t in_table = 0;
    flow::sited_rule const* first{};
    for (auto const& one : sites_.all()) {
      if (one.port != port || one.site == flow::rule_site::nic) continue;
      if (in_table++ == 0) first = &one;
    }
    if (in_table == 0 || first->why.empty()) continue;
    lines.push_back(fmt::format("flow rules of port {}: {} of {} run on {}; the first is rule {} (line {}): {}",
                                port.value(), in_table, book_.rules_of(port).size(), to_string(tables_), first->number,
                                book_.at(port, first->number).line, first->why));
  }
  auto const all = sites_.all();
  bool const has_tables =
      std::any_of(all.begin(), all.end(), [](auto const& one) { return one.site != flow::rule_site::nic; });
  if (has_tables) lines.insert(lines.end(), compiled_.notes.begin(), compiled_.notes.end());
  return lines;
}

std::optional<rules_counter> rule_tables::seen_by_tables(flow::rule_key const& key) const {
  auto const at = compiled_.position.find(key);
  if (at == compiled_.position.end()) return std::nullopt;
  auto seen = cpu_->counted(at->second);
  if (!seen) return seen;
  // After a GPU's failure the CPU goes on counting.
  for (auto const& one : gpus_) {
    if (auto const more = one->counted(at->second)) seen = sum_of(*seen, *more);
  }
  return seen;
}

std::optional<rules_counter> rule_tables::seen_by_nic(flow::rule_key const& key) const {
  return counts(book_.at(key.first, key.second).what) ? ports_.counted(key) : std::nullopt;
}

std::optional<rules_counter> rule_tables::counted_twice(flow::rule_key const& key) const {
  auto const at = compiled_.position.find(key);
  if (at == compiled_.position.end() || !flow::is_counted_twice(compiled_.all[at->second])) return std::nullopt;
  return seen_by_tables(key);
}

std::optional<rules_counter> rule_tables::seen(flow::sited_rule const& one) const {
  flow::rule_key const key{one.port, one.number};
  auto const by_tables = seen_by_tables(key);
  if (one.site != flow::rule_site::nic)
    return by_tables ? std::optional{sum_of(*by_tables, sites_.kept(key))} : by_tables;
  auto const by_nic = seen_by_nic(key);
  if (!by_nic) return std::nullopt;
  // Hits of packets that passed the NIC before it had the rule.
  auto const past = by_tables && !counted_twice(key) ? *by_tables : rules_counter{};
  return sum_of(sum_of(*by_nic, past), sites_.kept(key));
}

std::vector<rule_status> rule_tables::status(std::size_t begin, std::size_t end) const {
  std::vector<rule_status> all;
  std::size_t first = 0;  // of the port's rules, among all
  for (auto const id : book_.ports()) {
    auto const rules = book_.rules_of(id);
    for (auto n = std::max(begin, first); n < std::min(end, first + rules.size()); ++n) {
      auto const& sited = sites_.all()[n];
      all.push_back({.port = id, .rule = &rules[n - first], .site = sited.site, .why = sited.why, .seen = seen(sited)});
    }
    first += rules.size();
  }
  return all;
}

rule_status rule_tables::status(flow::rule_key const& key) const {
  auto const& rule = book_.at(key.first, key.second);
  auto n = static_cast<std::size_t>(&rule - book_.rules_of(key.first).data());
  for (auto const id : book_.ports()) n += id < key.first ? book_.rules_of(id).size() : 0;
  return status(n, n + 1).front();
}

rules_state rule_tables::state() const {
  auto const counters = cpu_->counters();
  return {.on = config_.on,
          .tables = tables_,
          .book = book_,
          .compiled = compiled_,
          .queues = queues_,
          .counters = {counters.begin(), counters.end()},
          .sited = {sites_.all().begin(), sites_.all().end()},
          .refused = refused_,
          .retry = retry_,
          .ports = ports_.known(),
          .before_routes = are_before_routes()};
}

void rule_tables::prepare(rules_build const& build) {
  // The table with less room comes first.
  for (auto const& one : gpus_) one->prepare(build);
  cpu_->prepare(build);
}

void rule_tables::publish(rules_change change) {
  for (auto const& one : gpus_) one->publish();
  cpu_->publish();
  book_ = std::move(change.book);
  compiled_ = std::move(change.compiled);
  refused_ = std::move(change.refused);
  retry_ = std::move(change.retry);
  sites_.replace(std::move(change.sited), change.same);
  if (config_.on != rules_on::nic) {
    for (auto const& key : change.steps.created) sites_.set(key, tables_, "its NIC is about to have it");
  }
  ++version_;
}

std::optional<std::string> rule_tables::withdraw(flow::rule_key const& key) {
  // The count is read before the rule is gone.
  auto const by_nic = seen_by_nic(key);
  auto const twice = by_nic ? counted_twice(key) : std::nullopt;
  if (auto refused = ports_.flows_of(key.first)->destroy(key.second)) return ports_.no_letting_go(key, refused->reason);
  if (by_nic) sites_.keep(key, *by_nic);
  if (twice) sites_.take_off(key, *twice);
  ++version_;
  sites_.set(key, tables_, "its NIC has it no more");
  return std::nullopt;
}

std::optional<std::string> rule_tables::offload(flow::rule_key const& key) {
  ++version_;
  if (auto why = ports_.create(key.first, book_.at(key.first, key.second))) {
    refused_[key] = *why;
    retry_.insert(key);
    sites_.set(key, tables_, *why);
    return why;
  }
  // If the NIC does not count, its part is unknown, and nothing has to be subtracted.
  if (auto const twice = counted_twice(key); twice && seen_by_nic(key)) sites_.keep(key, *twice);
  sites_.set(key, flow::rule_site::nic, "");
  return std::nullopt;
}

void rule_tables::settle(std::vector<flow::sited_rule> sited) {
  sites_.settle(std::move(sited));
  ++version_;
}

void rule_tables::abandon() {
  for (auto const& one : gpus_) one->abandon();
}

}  // namespace packetwarp
