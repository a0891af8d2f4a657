// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/fate.h"

#include <algorithm>

namespace packetwarp::flow {
namespace {

[[nodiscard]] bool says_where(rules_verb verb) {
  switch (verb) {
    case rules_verb::jump:
    case rules_verb::leave:
    case rules_verb::to_host:
    case rules_verb::drop:
    case rules_verb::pass_through:
      return true;
    default:
      return false;
  }
}

[[nodiscard]] bool has_action(rule const& what, action_kind a, action_kind b) {
  return std::any_of(what.actions.begin(), what.actions.end(),
                     [&](action const& one) { return one.kind == a || one.kind == b; });
}

}  // namespace

rules_action fate_of(rules_input const& rule) {
  // It is the last one (actions.cpp).
  if (!rule.actions.empty() && says_where(rule.actions.back().verb)) return rule.actions.back();
  return {.verb = rules_verb::to_host};
}

bool ends_packets(rules_input const& rule) {
  if (rule.actions.empty() || !says_where(rule.actions.back().verb)) return false;
  auto const verb = rule.actions.back().verb;
  return verb != rules_verb::jump && verb != rules_verb::pass_through;
}

bool changes_packets(rules_input const& rule) {
  return std::any_of(rule.actions.begin(), rule.actions.end(),
                     [](auto const& one) { return one.verb != rules_verb::count && !says_where(one.verb); });
}

bool names_a_port(rule const& what) { return has_action(what, action_kind::port_id, action_kind::represented_port); }

bool names_queues(rule const& what) { return has_action(what, action_kind::queue, action_kind::rss); }

}  // namespace packetwarp::flow
