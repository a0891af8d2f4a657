// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/rule_tally.h"

#include <algorithm>

namespace packetwarp {

void rule_tally::add(inspect::rule_set const& rules, std::vector<inspection_rule_count> const& counts) {
  for (std::size_t n = 0; n < std::min(counts.size(), rules.rules.size()); ++n) {
    if (counts[n].matches == 0) continue;
    auto const& one = rules.rules[n];
    auto& to = rules_[{one.gid, one.sid}];
    to.gid = one.gid;
    to.sid = one.sid;
    to.action = one.action;
    to.message = one.message;
    to.matches += counts[n].matches;
    to.alerts += counts[n].alerts;
  }
}

std::vector<matched_rule> rule_tally::busiest(std::size_t most) const {
  std::vector<matched_rule> all;
  for (auto const& [key, one] : rules_) all.push_back(one);
  auto const kept = std::min(most, all.size());
  std::partial_sort(
      all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(), [](auto const& a, auto const& b) {
        return a.matches != b.matches ? a.matches > b.matches : std::pair{a.gid, a.sid} < std::pair{b.gid, b.sid};
      });
  all.resize(kept);
  return all;
}

}  // namespace packetwarp
