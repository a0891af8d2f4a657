// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run/config.h"
#include "flow/compile/table.h"
#include "flow/rule_book.h"
#include "function/rules/rules_table.h"

namespace packetwarp {

// The rules of the file, read anew. Throws usage_error for rules that are wrong, failure for a file that cannot be
// read.
[[nodiscard]] flow::rule_book read_rules_book(rules_config const& config, std::vector<port_id> const& ports);

// A file of flow rules, as the executors of a network have them.
class rule_tables {
 public:
  // ports: of the network's interfaces, in their order; the first is the second's hairpin peer, and so on. Throws
  // usage_error for rules that are wrong or that cannot be done.
  rule_tables(rules_config const& config, std::vector<port_id> const& ports, table_place place);

  [[nodiscard]] rules_table& cpu() { return cpu_; }
  [[nodiscard]] rules_table& gpu() { return gpu_ ? *gpu_ : cpu_; }
  // What the rules ask for and get only in part.
  [[nodiscard]] std::vector<std::string> const& notes() const { return compiled_.notes; }
  void abandon();

  // As they are in force. Changes come from rules_change.h.
  [[nodiscard]] flow::rule_book const& book() const { return book_; }
  [[nodiscard]] flow::compiled_rules const& compiled() const { return compiled_; }
  [[nodiscard]] std::span<flow::port_queues const> queues() const { return queues_; }
  [[nodiscard]] rules_table const& cpu() const { return cpu_; }
  // Who runs them: "cpu" or "gpu".
  [[nodiscard]] std::string_view site() const { return gpu_ ? "gpu" : "cpu"; }
  // What a rule has seen; nothing of one without `count`.
  [[nodiscard]] std::optional<rules_counter> counted(port_id port, std::uint32_t number) const;
  // As rules_table::prepare() and publish(), in all tables.
  void prepare(rules_build const& build);
  void publish(flow::rule_book book, flow::compiled_rules compiled);

 private:
  flow::rule_book book_;
  std::vector<flow::port_queues> queues_;
  flow::compiled_rules compiled_;
  rules_table cpu_;
  std::unique_ptr<rules_table> gpu_;
};

}  // namespace packetwarp
