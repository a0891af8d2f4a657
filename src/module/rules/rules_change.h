// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flow/rule_book.h"
#include "function/rules/rules_build.h"
#include "module/rules/compile/site.h"
#include "module/rules/compile/table.h"
#include "module/rules/compile/transition.h"
#include "module/rules/rules_config.h"

namespace packetwarp {

// The starting point of a change of a network's rules, by value: a thread beside the master may plan the change.
struct rules_state {
  rules_on on{};
  flow::rule_site tables{};  // the site of rules that NICs do not run
  flow::rule_book book;
  flow::compiled_rules compiled;  // the tables'
  std::vector<flow::port_queues> queues;
  std::vector<std::uint32_t> counters;  // one per compiled rule
  std::vector<flow::sited_rule> sited;
  flow::rule_refusals refused;  // by the ports
  flow::rule_keys retry;        // refused rules that the next change offers again
  std::vector<flow::site_port> ports;
  bool before_routes{};
};

// The wanted rules: correct, as far as can be told without their ports.
struct wanted_rules {
  flow::rule_book book;                 // with rules to validate if NICs must run all rules
  flow::compiled_rules compiled;        // all of them; none if NICs must run them
  std::vector<flow::rule_key> unasked;  // NICs may run these, and their ports have not been asked yet
  flow::rule_refusals refused;          // the ports' answers for the others
  flow::rule_keys retry;                // as in rules_state
};

// The wanted rules, ready to be put in force.
struct rules_change {
  flow::rule_book book;
  flow::compiled_rules compiled;  // the tables'
  rules_build build;
  std::vector<flow::sited_rule> sited;  // at the end of the change
  flow::rule_keys same;                 // their counts go on
  flow::rule_refusals refused;
  flow::rule_keys retry;  // as in rules_state
  flow::transition steps;
};

// The end of a change that ports refused in part.
struct rules_retreat {
  std::vector<flow::sited_rule> sited;
  std::vector<flow::rule_key> destroyed;  // rules that must leave their NICs then, in this order
};

// All of these are pure, and slow with many rules.

// Throws usage_error for rules that are wrong, or not possible while the network runs. file: their source, for errors.
[[nodiscard]] wanted_rules want_rules(rules_state const& from, flow::rule_book book, std::string const& file);

// To be called when the ports have been asked, and their answers are in `wanted`. Rules that stay keep their counters.
[[nodiscard]] rules_change make_rules_change(rules_state const& from, wanted_rules wanted);

// now: with the ports' refusals so far. untried: rules that were withheld after a refusal, with the reason.
[[nodiscard]] rules_retreat make_rules_retreat(rules_state const& now, flow::rule_refusals const& untried);

}  // namespace packetwarp
