// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "function/inspection/inspection_layout.h"
#include "inspect/language/rule_set.h"

namespace packetwarp {

// A rule that has matched, as reports name it.
struct matched_rule {
  std::uint32_t gid{};
  std::uint32_t sid{};
  inspect::rule_action action{};
  std::string message{};
  std::uint64_t matches{};
  std::uint64_t alerts{};
};

// The matches of rules by gid and sid, over the rules' replacements. For a single thread.
class rule_tally {
 public:
  // counts: by number in rule_set::rules.
  void add(inspect::rule_set const& rules, std::vector<inspection_rule_count> const& counts);
  // The rules with the most matches, the most frequent first.
  [[nodiscard]] std::vector<matched_rule> busiest(std::size_t most) const;
  [[nodiscard]] std::size_t size() const { return rules_.size(); }

 private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, matched_rule> rules_;
};

}  // namespace packetwarp
