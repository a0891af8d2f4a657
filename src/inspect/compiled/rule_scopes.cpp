// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/compiled/rule_scopes.h"

#include <algorithm>

namespace packetwarp::inspect {
namespace {

// Addresses and ports alone, or with flowbits that are set. These are `ip_only` and `like_ip_only` in Suricata.
[[nodiscard]] bool is_of_endpoints(rule const& one) {
  return one.payload.empty() && one.header.empty() && one.flags.empty() && one.flow == flow_check{} &&
         one.protocol < rule_protocol::http &&
         std::all_of(one.flowbits.begin(), one.flowbits.end(),
                     [](auto const& use) { return use.what == flowbit_operation::set; });
}

// As in Suricata, an address with ! makes a rule alert on every packet.
[[nodiscard]] bool has_negated_address(rule_set const& rules, rule const& one) {
  return rules.addresses[one.source].is_negated || rules.addresses[one.destination].is_negated;
}

// Whether some match does nothing: `limit` keeps back alerts alone.
[[nodiscard]] bool counts_matches(rule const& one) {
  return std::any_of(one.rates.begin(), one.rates.end(),
                     [](auto const& rate) { return rate.kind != rate_kind::limit; });
}

}  // namespace

rule_scope scope_of(rule_set const& rules, rule const& one) {
  if (!is_of_endpoints(one)) return rule_scope::packets;
  bool const is_negated = has_negated_address(rules, one);
  if (one.action == rule_action::alert) {
    if (is_negated) return rule_scope::packets;
    return one.flowbits.empty() ? rule_scope::directions : rule_scope::first_alerts;
  }
  if (one.action == rule_action::pass || !counts_matches(one)) return rule_scope::first_alerts;
  return is_negated ? rule_scope::packets : rule_scope::directions;
}

bool marks_flows(rule const& one, rule_scope scope) {
  return one.action == rule_action::pass || scope == rule_scope::first_alerts;
}

}  // namespace packetwarp::inspect
