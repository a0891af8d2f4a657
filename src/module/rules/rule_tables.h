// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flow/compile/site.h"
#include "flow/compile/table.h"
#include "flow/rule_book.h"
#include "function/router/router.h"
#include "function/rules/rules_table.h"
#include "module/rules/rule_ports.h"
#include "module/rules/rule_sites.h"
#include "module/rules/rules_change.h"
#include "module/rules/rules_config.h"
#include "plan/plan.h"

namespace packetwarp {

// A rule, where it runs, and what it has seen where it counts.
struct rule_status {
  port_id port;
  flow::numbered_rule const* rule{};
  flow::rule_site site{};
  std::string why;  // why not the NIC, where that was asked
  std::optional<rules_counter> seen;
};

// A file of flow rules, as the NICs and the executors of a network have them.
class rule_tables {
 public:
  // file: the network's, for errors. Throws usage_error where rules are asked for in tables of another executor.
  rule_tables(rules_config const& config, std::string const& file, data_plane_config const& plane);
  rule_tables(rule_tables const&) = delete;
  rule_tables& operator=(rule_tables const&) = delete;

  // Before the ports are set up: reads the rules. Throws usage_error for rules that are wrong, or that tables cannot
  // do, and for what ports do not have.
  void prepare(plan& planned);
  // When they have been started: rules go to their NICs, and tables are made of the others. Throws usage_error for a
  // rule that a port refuses and nobody else may run.
  void install(std::deque<port>& ports, table_place place);

  [[nodiscard]] rules_table& cpu() { return *cpu_; }
  [[nodiscard]] rules_table& gpu() { return gpu_ ? *gpu_ : *cpu_; }
  // What the reader of a result should know: what the rules ask for and get only in part, and why NICs have not all.
  [[nodiscard]] std::vector<std::string> notices() const;

  // Every rule, port for port in the order of creation. Not while a kernel that nobody can end may have the table's
  // memory.
  [[nodiscard]] std::vector<rule_status> status() const { return status(0, size()); }
  // The same of those from begin to end - 1, of those that there are.
  [[nodiscard]] std::vector<rule_status> status(std::size_t begin, std::size_t end) const;
  [[nodiscard]] std::size_t size() const { return sites_.size(); }
  // Another one for other rules.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  void abandon();

  // As they are in force. Changes are rules_work.h's.
  [[nodiscard]] flow::rule_book const& book() const { return book_; }
  [[nodiscard]] std::span<flow::port_queues const> queues() const { return queues_; }
  [[nodiscard]] rules_state state() const;
  [[nodiscard]] rule_ports const& ports() const { return ports_; }
  // As rules_table::prepare() and publish(), in all tables. What steps.created has is in tables as yet.
  void prepare(rules_build const& build);
  void publish(rules_change change);
  // Takes a rule away from its NIC, in front of a table that has it. Its hits stay.
  void withdraw(flow::rule_key const& key);
  // The other way round; what the port says against it is remembered, and is the answer.
  [[nodiscard]] std::optional<std::string> offload(flow::rule_key const& key);
  // Who runs the same rules now.
  void settle(std::vector<flow::sited_rule> sited);

 private:
  // Whether routes have what rules do not decide on.
  [[nodiscard]] bool are_before_routes() const { return function_->has_stage(router::name); }
  [[nodiscard]] std::optional<rules_counter> seen_by_tables(flow::rule_key const& key) const;
  [[nodiscard]] std::optional<rules_counter> seen_by_nic(flow::rule_key const& key) const;
  // By its table, of a rule whose packets a NIC hands on to that.
  [[nodiscard]] std::optional<rules_counter> counted_twice(flow::rule_key const& key) const;
  [[nodiscard]] std::optional<rules_counter> seen(flow::sited_rule const& one) const;

  rules_config config_;
  flow::rule_book book_;
  std::vector<flow::port_queues> queues_;
  rule_ports ports_;
  function_facts const* function_;
  flow::rule_site tables_;
  flow::compiled_rules compiled_;  // of the tables
  rule_sites sites_;
  flow::rule_refusals refused_;  // by ports
  std::uint64_t version_{};
  std::unique_ptr<rules_table> cpu_;
  std::unique_ptr<rules_table> gpu_;
};

}  // namespace packetwarp
