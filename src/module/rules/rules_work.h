// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "module/module_change.h"
#include "module/rules/rule_tables.h"
#include "module/rules/rules_change.h"

namespace packetwarp {

// A change of a running network's rules, for the holder of the `turn` (module/change_turns.h). The calls are made in
// their order here; a call that returns bool does a slice, and is repeated until it returns true. The calls before
// publish() may throw, and the old rules stay in force then. Packets meet the old rules until publish(), and the new
// ones from then on; module/rules/compile/transition.h says what NICs are told before and after it.
class rules_work final : public module_change {
 public:
  // Makes the wanted rules from the present ones; called on a thread of its own.
  using maker = std::function<flow::rule_book(flow::rule_book const&)>;

  // rules: outlives it. file: the source of the rules, for errors.
  rules_work(rule_tables& rules, maker wanted, std::string file)
      : rules_{rules}, make_{std::move(wanted)}, file_{std::move(file)} {}

  // Plans the change, and asks ports about the new rules. Throws usage_error for errors.
  [[nodiscard]] bool plan() override;
  // Throws failure if room is short. A grace period must follow before publish().
  void prepare() override;
  // Takes from NICs before tables the rules that must not be there when the tables change: throws failure if a NIC does
  // not let go of one. Gives NICs that run all rules the new ones: throws usage_error if a NIC refuses one.
  [[nodiscard]] bool make_way() override;
  void publish() override;
  // Gives the NICs the rest, or takes it from them. A NIC that does not let go of a rule keeps it, with a warning in
  // the log, until the next change tries again.
  [[nodiscard]] bool finish() override;
  // The number of rules.
  [[nodiscard]] facts result() const override;

 private:
  [[nodiscard]] bool ask();
  [[nodiscard]] bool ask_to_validate();
  [[nodiscard]] bool make_room();
  [[nodiscard]] bool offload();
  [[nodiscard]] bool retreat();
  [[nodiscard]] bool withdraw_for_retreat();
  [[nodiscard]] bool create();
  void undo_create();
  void warn_of_stuck(flow::rule_key const& key, std::optional<flow_refusal> const& refused) const;
  [[nodiscard]] bool destroy_replaced();

  rule_tables& rules_;
  maker make_;
  std::string file_;
  std::shared_ptr<rules_state const> from_;
  std::future<wanted_rules> wanting_;
  std::optional<wanted_rules> wanted_;
  std::future<rules_change> changing_;
  std::optional<rules_change> change_;
  flow::transition steps_;
  std::size_t asked_{};
  std::size_t validated_{};
  std::size_t destroyed_{};
  std::size_t created_{};
  std::map<port_id, std::string> full_;  // ports that have refused a rule, and the reason for later rules
  flow::rule_refusals untried_;
  std::future<rules_retreat> retreating_;
  std::optional<rules_retreat> retreat_;
  std::map<port_id, std::string> stuck_;  // ports that do not let go of a rule, and why they keep the rules after it
};

}  // namespace packetwarp
