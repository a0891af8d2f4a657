// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flow/compile/site.h"
#include "flow/compile/table.h"
#include "flow/compile/transition.h"
#include "flow/rule_book.h"
#include "function/rules/rules_build.h"
#include "module/rules/rules_config.h"

namespace packetwarp {

// What a change of a network's rules starts from, by value: it may be worked out beside the master.
struct rules_state {
  rules_on on{};
  flow::rule_site tables{};  // who runs what NICs do not
  flow::rule_book book;
  flow::compiled_rules compiled;  // of the tables
  std::vector<flow::port_queues> queues;
  std::vector<std::uint32_t> counters;  // of each compiled rule
  std::vector<flow::sited_rule> sited;
  flow::rule_refusals refused;  // by ports
  std::vector<flow::site_port> ports;
  bool before_routes{};
};

// Rules as they are wanted: right, as far as that can be told without their ports.
struct wanted_rules {
  flow::rule_book book;
  flow::compiled_rules compiled;        // all of them; none where NICs have to run them
  std::vector<flow::rule_key> unasked;  // NICs may run those, and their ports have not been asked yet
  flow::rule_refusals refused;          // what ports said of the others
};

// The same ready to be put in force.
struct rules_change {
  flow::rule_book book;
  flow::compiled_rules compiled;  // of the tables
  rules_build build;
  std::vector<flow::sited_rule> sited;  // when all is done
  flow::rule_keys same;                 // go on counting
  flow::rule_refusals refused;
  flow::transition steps;
};

// What becomes of a change of which ports did not take all in the end.
struct rules_retreat {
  std::vector<flow::sited_rule> sited;
  std::vector<flow::rule_key> destroyed;  // they may not stay then; in this order
};

// All of these are pure, and slow with many rules.

// Throws usage_error for rules that are wrong, or that cannot be while the network runs. file: where they come from,
// for errors.
[[nodiscard]] wanted_rules want_rules(rules_state const& from, flow::rule_book book, std::string const& file);

// When the ports have been asked, and what they said has been put down in `wanted`. Rules that stay go on with their
// counters.
[[nodiscard]] rules_change make_rules_change(rules_state const& from, wanted_rules wanted);

// now: with what ports have refused meanwhile. untried: what they were not to have behind that.
[[nodiscard]] rules_retreat make_rules_retreat(rules_state const& now, flow::rule_refusals const& untried);

}  // namespace packetwarp
