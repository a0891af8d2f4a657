// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/rule_sites.h"

#include <algorithm>
#include <utility>

namespace packetwarp {

void rule_sites::replace(std::vector<flow::sited_rule> sited, flow::rule_keys const& same) {
  sited_ = std::move(sited);
  std::erase_if(kept_, [&](auto const& one) { return !same.contains(one.first); });
}

void rule_sites::set(flow::rule_key const& key, flow::rule_site site, std::string why) {
  // A book is sorted by ports and numbers.
  auto const found = std::lower_bound(sited_.begin(), sited_.end(), key, [](auto const& one, auto const& sought) {
    return flow::rule_key{one.port, one.number} < sought;
  });
  found->site = site;
  found->why = std::move(why);
}

void rule_sites::keep(flow::rule_key const& key, rules_counter const& more) {
  auto& sum = kept_[key];
  sum.hits += more.hits;
  sum.bytes += more.bytes;
}

void rule_sites::take_off(flow::rule_key const& key, rules_counter const& less) {
  keep(key, {.hits = 0 - less.hits, .bytes = 0 - less.bytes});
}

rules_counter rule_sites::kept(flow::rule_key const& key) const {
  auto const found = kept_.find(key);
  return found == kept_.end() ? rules_counter{} : found->second;
}

}  // namespace packetwarp
