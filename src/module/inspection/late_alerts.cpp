// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/late_alerts.h"

#include <utility>

namespace packetwarp {

void late_alerts::prepare(std::size_t set, loaded_rules const& rules, std::unique_ptr<inspect::regex_library> engine) {
  rules_.at(set) = &rules;
  by_rule_.at(set).assign(rules.rules.rules.size(), {});
  judge_.prepare(set, rules.compiled.ref(), std::move(engine));
}

bool late_alerts::judge(inspection_parts::late_packet const& seen) {
  ++counts_.judged;
  if (!judge_.matches(seen)) return false;
  auto const set = std::size_t{seen.what.flags} & inspection_parts::alert_flag::second_set;
  auto const& rule = rules_.at(set)->rules.rules.at(seen.what.rule);
  auto& count = by_rule_.at(set).at(seen.what.rule);
  ++counts_.matched;
  ++count.matches;
  if (rule.action != inspect::rule_action::alert) ++counts_.not_blocked;
  if (rule.is_silent) return false;
  ++counts_.alerts;
  ++count.alerts;
  return true;
}

}  // namespace packetwarp
