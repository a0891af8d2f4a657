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

// A change of a running network's rules on its way, for who has the turn (module/change_turns.h). The calls in the
// order in which they are here; those that say whether they are done do a slice of it, and are called until they are.
// Up to publish() they may throw, and the rules are as they were then. Packets fare by these until publish(), and by
// the others from then on; what NICs are told before and behind that is flow/compile/transition.h's.
class rules_work final : public module_change {
 public:
  // What is to be, from what is; called on a thread of its own.
  using maker = std::function<flow::rule_book(flow::rule_book const&)>;

  // rules: outlives it. file: where the rules come from, for errors.
  rules_work(rule_tables& rules, maker wanted, std::string file)
      : rules_{rules}, make_{std::move(wanted)}, file_{std::move(file)} {}

  // Works it out, and asks ports about the rules that are new. Throws usage_error for what is wrong.
  [[nodiscard]] bool plan() override;
  // Throws failure where there is no room. To be followed by a grace period before publish().
  void prepare() override;
  // NICs in front of tables lose what may not be there when these change. NICs that run all get what is new: throws
  // usage_error where one refuses it.
  [[nodiscard]] bool make_way() override;
  void publish() override;
  // NICs get the rest, or lose it.
  [[nodiscard]] bool finish() override;
  // How many rules there are.
  [[nodiscard]] facts result() const override;

 private:
  [[nodiscard]] bool ask();
  [[nodiscard]] bool withdraw(std::vector<flow::rule_key> const& some);
  [[nodiscard]] bool offload();
  [[nodiscard]] bool retreat();
  [[nodiscard]] bool create();
  void undo_create();
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
  std::size_t destroyed_{};
  std::size_t created_{};
  std::map<port_id, std::string> full_;  // ports that have refused a rule, and what that means to those behind it
  flow::rule_refusals untried_;
  std::future<rules_retreat> retreating_;
  std::optional<rules_retreat> retreat_;
};

}  // namespace packetwarp
