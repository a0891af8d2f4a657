// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/run/rule_tables.h"
#include "flow/compile/table.h"
#include "flow/rule_book.h"
#include "function/rules/rules_build.h"

namespace packetwarp {

// Rules as they are to be, ready to be put in force in place of others.
struct rules_change {
  flow::rule_book book;
  flow::compiled_rules compiled;
  rules_build build;
};

// What a change starts from, by value: it may be worked out beside the master.
struct rules_state {
  flow::rule_book book;
  flow::compiled_rules compiled;
  std::vector<flow::port_queues> queues;
  std::vector<std::uint32_t> counters;  // of each compiled rule
  bool before_routes{};
};
// Throws usage_error for rules that cannot change (rule_tables::require_changeable).
[[nodiscard]] rules_state state_of(rule_tables const& rules);

// Pure, and slow with many rules. Rules that stay go on with their counters. Throws usage_error for rules that are
// wrong or that cannot be done. file: where they come from, for errors.
[[nodiscard]] rules_change make_rules_change(rules_state const& from, flow::rule_book wanted,
                                             std::string const& file = "flow");

// Throws usage_error for a port that is none of the network's.
void require_known_port(std::span<flow::port_queues const> ports, port_id port);

}  // namespace packetwarp
