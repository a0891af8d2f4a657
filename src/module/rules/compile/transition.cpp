// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/transition.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "base/error.h"
#include "module/rules/compile/fate.h"

namespace packetwarp::flow {
namespace {

using rules_by_key = std::map<rule_key, rule const*>;

[[nodiscard]] rules_by_key by_key(rule_book const& book) {
  rules_by_key all;
  for (auto const port : book.ports()) {
    for (auto const& one : book.rules_of(port)) all.emplace_hint(all.end(), rule_key{port, one.number}, &one.what);
  }
  return all;
}

[[nodiscard]] rule_keys in_both(rule_keys const& a, rule_keys const& b) {
  rule_keys both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}

[[nodiscard]] rules_input const& made_of(rules_side side, rule_key const& key) {
  return side.compiled.all[side.compiled.position.at(key)];
}

// The rules of `some` that NICs may have before a table with all of these rules, if they have no others.
[[nodiscard]] rule_keys left_of(rule_keys const& some, rules_side side, std::span<site_port const> ports) {
  rule_refusals refused;
  for (auto const& [key, n] : side.compiled.position) {
    if (!some.contains(key)) refused.emplace_hint(refused.end(), key, "");
  }
  return in_nics_of(share_out(side.book, side.compiled, ports, refused, rule_site::cpu));
}

[[nodiscard]] rule_keys right_in_front_of_both(rule_keys some, rules_side before, rules_side after,
                                               std::span<site_port const> ports) {
  for (auto size = some.size() + 1; size != some.size();) {
    size = some.size();
    some = left_of(left_of(some, before, ports), after, ports);
  }
  return some;
}

// For a group that no jump leads to. A counting rule may not: its count would stand still meanwhile, because the
// table's is not read.
[[nodiscard]] bool may_lie_idle(rules_input const& rule) {
  bool const counts = std::any_of(rule.actions.begin(), rule.actions.end(),
                                  [](auto const& one) { return one.verb == rules_verb::count; });
  return rule.group != 0 && rule.direction != rules_direction::egress && !(counts && is_counted_twice(rule));
}

// In the order in which rules are created.
[[nodiscard]] std::vector<rule_key> in_order(rule_keys const& some, rules_side side) {
  std::vector<rule_key> ordered{some.begin(), some.end()};
  auto const rank = [&](rule_key const& key) {
    auto const& made = made_of(side, key);
    return std::tuple{~made.group, made.direction, made.priority, key};
  };
  std::sort(ordered.begin(), ordered.end(), [&](auto const& a, auto const& b) { return rank(a) < rank(b); });
  return ordered;
}

[[nodiscard]] bool is_egress(rule const& what) { return what.attr.egress && !what.attr.transfer; }

[[nodiscard]] rule_keys without(rule_keys const& some, rule_keys const& others) {
  rule_keys rest;
  std::set_difference(some.begin(), some.end(), others.begin(), others.end(), std::inserter(rest, rest.end()));
  return rest;
}

// The ports whose NICs have their egress rules.
[[nodiscard]] std::set<port_id> with_egress_in_nics(rule_book const& book, std::span<sited_rule const> sited) {
  std::set<port_id> found;
  auto const all = by_key(book);
  for (auto const& key : in_nics_of(sited)) {
    if (is_egress(*all.at(key))) found.insert(key.first);
  }
  return found;
}

using rules_by_number = std::map<std::uint32_t, rule>;

[[nodiscard]] rules_by_number egress_of(rule_book const& book, port_id port) {
  rules_by_number found;
  for (auto const& one : book.rules_of(port)) {
    if (is_egress(one.what)) found.emplace(one.number, one.what);
  }
  return found;
}

[[nodiscard]] bool are_same_but_for_numbers(rules_by_number const& a, rules_by_number const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](auto const& one, auto const& other) { return one.second == other.second; });
}

}  // namespace

rule_keys in_nics_of(std::span<sited_rule const> sited) {
  rule_keys found;
  for (auto const& one : sited) {
    if (one.site == rule_site::nic) found.emplace(one.port, one.number);
  }
  return found;
}

rule_keys same_rules(rule_book const& a, rule_book const& b) {
  rule_keys same;
  auto const all = by_key(a);
  for (auto const& [key, what] : by_key(b)) {
    auto const found = all.find(key);
    if (found != all.end() && *found->second == *what) same.insert(same.end(), key);
  }
  return same;
}

transition plan_transition(rules_side before, rule_keys const& in_nics, rules_side after,
                           std::span<sited_rule const> wanted, std::span<site_port const> ports) {
  auto const to_be = in_nics_of(wanted);
  auto const common = in_both(in_both(in_nics, to_be), same_rules(before.book, after.book));
  auto staying = right_in_front_of_both(common, before, after, ports);
  for (auto const& key : common) {
    if (may_lie_idle(made_of(after, key))) staying.insert(key);
  }
  transition made{.destroyed = in_order(without(in_nics, staying), before),
                  .created = in_order(without(to_be, staying), after)};
  std::reverse(made.destroyed.begin(), made.destroyed.end());
  return made;
}

transition plan_replacement(rule_book const& before, rule_book const& after) {
  auto const same = same_rules(before, after);
  transition made;
  for (auto const& [key, what] : by_key(before)) {
    if (!same.contains(key)) made.destroyed.push_back(key);
  }
  for (auto const& [key, what] : by_key(after)) {
    if (!same.contains(key)) made.created.push_back(key);
  }
  std::reverse(made.destroyed.begin(), made.destroyed.end());
  return made;
}

bool is_counted_twice(rules_input const& rule) {
  auto const verb = fate_of(rule).verb;
  return verb != rules_verb::drop && verb != rules_verb::leave;
}

void require_same_egress(rule_book const& before, std::span<sited_rule const> sited, rule_book const& after,
                         rule_site tables) {
  for (auto const port : with_egress_in_nics(before, sited)) {
    auto const was = egress_of(before, port), is = egress_of(after, port);
    if (was == is) continue;
    if (are_same_but_for_numbers(was, is)) {
      throw usage_error(fmt::format(
          "port {}: its NIC runs its egress rules, whose numbers would change with those of the rules before "
          "them; put new rules after them, start again, or with rules.on: {}",
          port.value(), to_string(tables)));
    }
    throw usage_error(
        fmt::format("port {}: its NIC runs its egress rules, which cannot change while packets pass; start again, or "
                    "with rules.on: {}",
                    port.value(), to_string(tables)));
  }
}

void refuse_new_egress(rule_book const& before, std::span<sited_rule const> sited, rule_book const& after,
                       rule_refusals& refused) {
  auto const theirs = with_egress_in_nics(before, sited);
  for (auto const port : after.ports()) {
    if (theirs.contains(port)) continue;
    for (auto const& [number, what] : egress_of(after, port)) {
      refused.try_emplace({port, number}, "NICs get egress rules only when the network starts");
    }
  }
}

}  // namespace packetwarp::flow
