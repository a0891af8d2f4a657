// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "flow/rule_book.h"
#include "module/rules/compile/site.h"
#include "module/rules/compile/table.h"

namespace packetwarp::flow {

using rule_keys = std::set<rule_key>;

// Rules with the same content under the same number: their executor need not know of other changes.
[[nodiscard]] rule_keys same_rules(rule_book const& a, rule_book const& b);

// The rules at one moment.
struct rules_side {
  rule_book const& book;
  compiled_rules const& compiled;  // of the whole book
};

[[nodiscard]] rule_keys in_nics_of(std::span<sited_rule const> sited);

// The steps of NICs while packets pass and tables change from old to new rules: one rule after the other, in order.
struct transition {
  std::vector<rule_key> destroyed;  // before the tables change
  std::vector<rule_key> created;    // after they have changed
};

// From the rules that NICs run to the rules that share_out() wants, so that any packet at any moment meets the old
// rules' fate while the tables have these, and the new rules' from then on. So
//   - rules that stay in NICs while the tables change are right before both;
//   - a rule is destroyed before the rules of its port that apply earlier, which it would hide otherwise, and created
//     after them;
//   - a jump is destroyed before the rules that it leads to, and created after them. Rules that no jump leads to
//     meanwhile may stay: no packet gets there.
// NICs must have the same egress rules before and after (require_same_egress).
[[nodiscard]] transition plan_transition(rules_side before, rule_keys const& in_nics, rules_side after,
                                         std::span<sited_rule const> wanted, std::span<site_port const> ports);

// The same for NICs before empty tables: first the new rules, in the book's order, then the removed ones, the latest
// first. A rule with another content is both.
[[nodiscard]] transition plan_replacement(rule_book const& before, rule_book const& after);

// Whether the executor's table counts a packet again that a NIC with this rule has counted and handed to the host.
[[nodiscard]] bool is_counted_twice(rules_input const& rule);

// Each packet must meet the egress rules of a port once, by any way, so they cannot move between a NIC and a table
// while packets pass. Throws usage_error if a NIC runs a port's egress rules, and they change. tables: the site of
// tables.
void require_same_egress(rule_book const& before, std::span<sited_rule const> sited, rule_book const& after,
                         rule_site tables);
// For the same reason: marks the egress rules of the other ports as refused, whatever the ports answered.
void refuse_new_egress(rule_book const& before, std::span<sited_rule const> sited, rule_book const& after,
                       rule_refusals& refused);

}  // namespace packetwarp::flow
