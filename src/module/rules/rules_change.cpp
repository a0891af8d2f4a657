// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rules_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "module/rules/rules_source.h"

namespace packetwarp {
namespace {

// Drivers accept it only before a port starts.
void require_same_isolation(rules_state const& from, flow::rule_book const& book) {
  for (auto const& one : from.queues) {
    if (from.book.is_isolated(one.port) == book.is_isolated(one.port)) continue;
    throw usage_error(
        fmt::format("port {}: its NIC runs all of its rules, and is isolated, or not, when the network starts; start "
                    "again, or with rules.on: auto",
                    one.port.value()));
  }
}

[[nodiscard]] bool asks_nics(rules_on on) { return on == rules_on::automatic || on == rules_on::nic; }

// A rule with the same number and the same content is the same rule.
void keep_counters(rules_state const& from, flow::rule_keys const& same, flow::compiled_rules& compiled) {
  for (auto const& key : same) {
    auto const was = from.compiled.position.find(key);
    auto const is = compiled.position.find(key);
    if (was == from.compiled.position.end() || is == compiled.position.end()) continue;
    compiled.all[is->second].counter = from.counters[was->second];
  }
}

}  // namespace

wanted_rules want_rules(rules_state const& from, flow::rule_book book, std::string const& file) {
  wanted_rules made;
  if (from.on == rules_on::nic) {
    require_same_isolation(from, book);
  } else {
    made.compiled = flow::compile_rules(book, from.queues, file);
    if (from.before_routes) require_decided_changes(book, made.compiled, file);
    flow::require_same_egress(from.book, from.sited, book, from.tables);
    require_valid(book, from.queues, from.before_routes ? unmatched_packets::to_routes : unmatched_packets::to_host,
                  file);
    book.forget_validated();
  }
  require_known_ports(book, made.compiled, from.queues, file);
  if (asks_nics(from.on)) {
    auto same = flow::same_rules(from.book, book);
    for (auto const& key : from.retry) same.erase(key);
    for (auto const port : book.ports()) {
      for (auto const& one : book.rules_of(port)) {
        if (!same.contains({port, one.number})) made.unasked.emplace_back(port, one.number);
      }
    }
    for (auto const& [key, why] : from.refused) {
      if (same.contains(key)) made.refused.emplace(key, why);
    }
  }
  made.book = std::move(book);
  return made;
}

rules_change make_rules_change(rules_state const& from, wanted_rules wanted) {
  auto const& book = wanted.book;
  auto sited = flow::all_at(book, from.on == rules_on::nic ? flow::rule_site::nic : from.tables);
  flow::transition steps;
  if (from.on == rules_on::nic) {
    steps = flow::plan_replacement(from.book, book);
  } else if (from.on == rules_on::automatic) {
    auto refused = wanted.refused;
    flow::refuse_new_egress(from.book, from.sited, book, refused);
    sited = flow::share_out(book, wanted.compiled, from.ports, refused, from.tables);
    auto const before = flow::compile_rules(from.book, from.queues);
    steps = flow::plan_transition({from.book, before}, flow::in_nics_of(from.sited), {book, wanted.compiled}, sited,
                                  from.ports);
    wanted.compiled = flow::without_egress_of_nics(wanted.compiled, sited);
  }
  auto same = flow::same_rules(from.book, book);
  keep_counters(from, same, wanted.compiled);
  rules_build build{wanted.compiled.all, wanted.compiled.ports, from.counters};
  return {.book = std::move(wanted.book),
          .compiled = std::move(wanted.compiled),
          .build = std::move(build),
          .sited = std::move(sited),
          .same = std::move(same),
          .refused = std::move(wanted.refused),
          .retry = std::move(wanted.retry),
          .steps = std::move(steps)};
}

rules_retreat make_rules_retreat(rules_state const& now, flow::rule_refusals const& untried) {
  auto refused = now.refused;
  refused.insert(untried.begin(), untried.end());
  flow::refuse_new_egress(now.book, now.sited, now.book, refused);
  auto const compiled = flow::compile_rules(now.book, now.queues);
  flow::rules_side const rules{now.book, compiled};
  auto sited = flow::share_out(now.book, compiled, now.ports, refused, now.tables);
  auto steps = flow::plan_transition(rules, flow::in_nics_of(now.sited), rules, sited, now.ports);
  return {std::move(sited), std::move(steps.destroyed)};
}

}  // namespace packetwarp
