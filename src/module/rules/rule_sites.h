// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "function/rules/rules_layout.h"
#include "module/rules/compile/site.h"
#include "module/rules/compile/transition.h"

namespace packetwarp {

// The site that runs each rule of a network, and the counts of sites that ran it before. For the master.
class rule_sites {
 public:
  rule_sites() = default;
  // sited: in the order of a book.
  explicit rule_sites(std::vector<flow::sited_rule> sited) : sited_{std::move(sited)} {}

  [[nodiscard]] std::span<flow::sited_rule const> all() const { return sited_; }
  [[nodiscard]] std::size_t size() const { return sited_.size(); }

  // Replaces the rules; same: the rules whose counts go on.
  void replace(std::vector<flow::sited_rule> sited, flow::rule_keys const& same);
  // The same rules, with new sites.
  void settle(std::vector<flow::sited_rule> sited) { sited_ = std::move(sited); }
  // For an existing rule.
  void set(flow::rule_key const& key, flow::rule_site site, std::string why);

  // Adds a count from another site, modulo 2^64, to the count of the rule's site.
  void keep(flow::rule_key const& key, rules_counter const& more);
  void take_off(flow::rule_key const& key, rules_counter const& less);
  [[nodiscard]] rules_counter kept(flow::rule_key const& key) const;

 private:
  std::vector<flow::sited_rule> sited_;
  std::map<flow::rule_key, rules_counter> kept_;
};

}  // namespace packetwarp
