// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "flow/compile/site.h"
#include "flow/compile/table.h"
#include "flow/rule_book.h"

namespace packetwarp::flow {

using rule_keys = std::set<rule_key>;

// Rules that say the same under the same number: their executor need not know that others come or go.
[[nodiscard]] rule_keys same_rules(rule_book const& a, rule_book const& b);

// All rules at one time.
struct rules_side {
  rule_book const& book;
  compiled_rules const& compiled;  // of all the book
};

[[nodiscard]] rule_keys in_nics_of(std::span<sited_rule const> sited);

// The steps of NICs while packets pass and tables go from some rules to others: one rule after the other, in order.
struct transition {
  std::vector<rule_key> destroyed;  // before the tables change
  std::vector<rule_key> created;    // when they have
};

// From the rules that NICs run to the ones that share_out() wants, so that any packet that comes at any
// moment fares as by the rules of before while the tables have these, and as by those of after from then on. So
//   - what stays in NICs while the tables change is right in front of both;
//   - a rule is destroyed before those of its port that apply earlier, which it would hide otherwise, and created
//   after
//     them;
//   - a jump is destroyed before the rules that it leads to, and created after them. Rules that no jump leads to
//     meanwhile may stay: nothing gets there.
// The same egress rules have to be in NICs before and after (require_same_egress).
[[nodiscard]] transition plan_transition(rules_side before, rule_keys const& in_nics, rules_side after,
                                         std::span<sited_rule const> wanted, std::span<site_port const> ports);

// The same of NICs in front of empty tables: first those that are new, as they come in the book, then those that are
// gone, the latest first. A rule that says something else is both.
[[nodiscard]] transition plan_replacement(rule_book const& before, rule_book const& after);

// Whether the executor's table counts a packet again that a NIC with this rule has counted and handed to the host.
[[nodiscard]] bool is_counted_twice(rules_input const& rule);

// Each packet has to meet the egress rules of a port once, whichever way it comes, so they cannot move between a NIC
// and a table while packets pass. Throws usage_error where a NIC runs those of a port, and they are to be others.
// tables: where they would run.
void require_same_egress(rule_book const& before, std::span<sited_rule const> sited, rule_book const& after,
                         rule_site tables);
// For the same reason: has those of the other ports refused, whatever these said of them.
void refuse_new_egress(rule_book const& before, std::span<sited_rule const> sited, rule_book const& after,
                       rule_refusals& refused);

}  // namespace packetwarp::flow
