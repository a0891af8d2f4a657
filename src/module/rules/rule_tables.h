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

#include "flow/rule_book.h"
#include "function/rules/rules_table.h"
#include "module/chain.h"
#include "module/rules/compile/site.h"
#include "module/rules/compile/table.h"
#include "module/rules/rule_ports.h"
#include "module/rules/rule_sites.h"
#include "module/rules/rules_change.h"
#include "module/rules/rules_config.h"
#include "plan/plan.h"

namespace packetwarp {

// A rule, its site, and its count if it counts.
struct rule_status {
  port_id port;
  flow::numbered_rule const* rule{};
  flow::rule_site site{};
  std::string why;  // why not the NIC, if the NIC was asked
  std::optional<rules_counter> seen;
};

// A file's flow rules in the NICs and the executors of a network.
class rule_tables {
 public:
  // file: the network's, for errors. Throws usage_error if the file asks for tables of another executor.
  rule_tables(rules_config const& config, std::string const& file, data_plane_config const& plane);
  rule_tables(rule_tables const&) = delete;
  rule_tables& operator=(rule_tables const&) = delete;

  // To be called before the ports are set up: reads the rules. Throws usage_error for rules that are wrong, or that
  // tables cannot apply, and for abilities that ports lack.
  void prepare(plan& planned);
  // To be called when the ports have been started: gives rules to their NICs, and makes tables of the others. Throws
  // usage_error for a rule that a port refuses and no table may run.
  void install(std::deque<port>& ports, table_places const& places);

  [[nodiscard]] rules_table& cpu() { return *cpu_; }
  // The tables of the n-th GPU with a copy; the CPU's if no GPU has one.
  [[nodiscard]] rules_table& gpu(std::size_t n) { return gpus_.empty() ? *cpu_ : *gpus_.at(n); }
  // Notices for the reader of a result: demands of rules that are met only in part, and the reasons why NICs do not run
  // all rules.
  [[nodiscard]] std::vector<std::string> notices() const;

  // Every rule, port by port in the order of creation. Not while a kernel that nothing can end may have the table's
  // memory.
  [[nodiscard]] std::vector<rule_status> status() const { return status(0, size()); }
  // The same for the existing rules from begin to end - 1.
  [[nodiscard]] std::vector<rule_status> status(std::size_t begin, std::size_t end) const;
  // The same for one rule. Throws usage_error if it does not exist.
  [[nodiscard]] rule_status status(flow::rule_key const& key) const;
  [[nodiscard]] std::size_t size() const { return sites_.size(); }
  // It changes with the rules.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  void abandon();

  // The rules in force. rules_work.h changes them.
  [[nodiscard]] flow::rule_book const& book() const { return book_; }
  [[nodiscard]] std::span<flow::port_queues const> queues() const { return queues_; }
  [[nodiscard]] rules_state state() const;
  [[nodiscard]] rules_on runs_on() const { return config_.on; }
  [[nodiscard]] rule_ports const& ports() const { return ports_; }
  // See rules_table::prepare() and publish(); for all tables. The rules of steps.created are still in tables
  // afterwards.
  void prepare(rules_build const& build);
  void publish(rules_change change);
  // Takes a rule from its NIC; the table has it too. Its hits stay. Returns the port's reason if it refuses: the rule
  // is still the NIC's.
  [[nodiscard]] std::optional<std::string> withdraw(flow::rule_key const& key);
  // Gives a rule to its NIC; returns and remembers the port's reason if it refuses.
  [[nodiscard]] std::optional<std::string> offload(flow::rule_key const& key);
  // Sets the sites of the same rules.
  void settle(std::vector<flow::sited_rule> sited);

 private:
  // Whether routes handle packets that rules do not decide on.
  [[nodiscard]] bool are_before_routes() const { return is_routed(*function_); }
  [[nodiscard]] std::optional<rules_counter> seen_by_tables(flow::rule_key const& key) const;
  [[nodiscard]] std::optional<rules_counter> seen_by_nic(flow::rule_key const& key) const;
  // The table's count for a rule whose packets a NIC hands on to the table.
  [[nodiscard]] std::optional<rules_counter> counted_twice(flow::rule_key const& key) const;
  [[nodiscard]] std::optional<rules_counter> seen(flow::sited_rule const& one) const;

  rules_config config_;
  flow::rule_book book_;
  std::vector<flow::port_queues> queues_;
  rule_ports ports_;
  function_facts const* function_;
  flow::rule_site tables_;
  flow::compiled_rules compiled_;  // the tables'
  rule_sites sites_;
  flow::rule_refusals refused_;  // by the ports
  flow::rule_keys retry_;        // of refused_: the next change offers them again
  std::uint64_t version_{};
  std::unique_ptr<rules_table> cpu_;
  std::vector<std::unique_ptr<rules_table>> gpus_;
};

}  // namespace packetwarp
