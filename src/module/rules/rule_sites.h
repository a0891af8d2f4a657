// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flow/compile/site.h"
#include "flow/compile/transition.h"
#include "function/rules/rules_layout.h"

namespace packetwarp {

// Who runs each rule of a network, and what was counted of it by who ran it before. The master's.
class rule_sites {
 public:
  rule_sites() = default;
  // sited: in the order of a book.
  explicit rule_sites(std::vector<flow::sited_rule> sited) : sited_{std::move(sited)} {}

  [[nodiscard]] std::span<flow::sited_rule const> all() const { return sited_; }
  [[nodiscard]] std::size_t size() const { return sited_.size(); }

  // Others from here on; same: the rules whose counts go on.
  void replace(std::vector<flow::sited_rule> sited, flow::rule_keys const& same);
  // The same rules, by others.
  void settle(std::vector<flow::sited_rule> sited) { sited_ = std::move(sited); }
  // Of a rule that there is.
  void set(flow::rule_key const& key, flow::rule_site site, std::string why);

  // What has been counted elsewhere: to be added, modulo 2^64, to what is counted where it is now.
  void keep(flow::rule_key const& key, rules_counter const& more);
  void take_off(flow::rule_key const& key, rules_counter const& less);
  [[nodiscard]] rules_counter kept(flow::rule_key const& key) const;

 private:
  std::vector<flow::sited_rule> sited_;
  std::map<flow::rule_key, rules_counter> kept_;
};

}  // namespace packetwarp
