// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "flow/command.h"

namespace packetwarp::flow {

// A rule that was created: its number on its port, and its place, for errors about its demands.
struct numbered_rule {
  std::uint32_t number{};
  rule what;
  std::size_t line{};  // line of the file; 0: typed
};

// The first line of rule_book::list(), and the line of a rule, each with its end.
inline constexpr std::string_view list_head = "ID\tGroup\tPrio\tAttr\tRule\n";
[[nodiscard]] std::string list_line(numbered_rule const& one);

// The rules of every port, as `flow` commands leave them. Passive: nic.h and module/rules/compile/ turn them into
// rte_flow calls and tables.
class rule_book {
 public:
  // Carries out create, destroy, flush and isolate, and returns the command's answer: one line each, for list and
  // validate too. Rules that lines of a file validate are kept for checks (validated). Throws usage_error for a missing
  // rule. The table that counts answers query (module/rules/compile/table.h).
  std::string apply(command const& what, std::size_t line = 0);

  // The rule's number is one more than that of the port's latest remaining rule, as in testpmd.
  std::uint32_t create(port_id port, rule what, std::size_t line = 0);
  void destroy(port_id port, std::span<std::uint32_t const> numbers);
  void flush(port_id port);
  void isolate(port_id port, set_state to);

  // In the order of their creation.
  [[nodiscard]] std::span<numbered_rule const> rules_of(port_id port) const;
  [[nodiscard]] bool is_isolated(port_id port) const;
  // Ports that commands have named, in ascending order.
  [[nodiscard]] std::vector<port_id> ports() const;
  // Throws usage_error if the rule does not exist.
  [[nodiscard]] numbered_rule const& at(port_id port, std::uint32_t number) const;

  // The rules of a file's `flow validate`, in the file's order. They have no numbers.
  struct validated_rule {
    port_id port;
    numbered_rule rule;
  };
  [[nodiscard]] std::span<validated_rule const> validated() const { return validated_; }
  void forget_validated() { validated_.clear(); }

  // testpmd's table of rules, sorted by group, priority and number; of all groups if `groups` is empty. Empty without
  // rules.
  [[nodiscard]] std::string list(port_id port, std::span<std::uint32_t const> groups = {}) const;
  // The rules of list(), in its order; they belong to the book.
  [[nodiscard]] std::vector<numbered_rule const*> listed(port_id port, std::span<std::uint32_t const> groups) const;

 private:
  struct port_rules {
    std::vector<numbered_rule> rules;
    bool isolated{};
  };
  std::map<port_id, port_rules> ports_;
  std::vector<validated_rule> validated_;
};

}  // namespace packetwarp::flow
