// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "function/inspection/inspection_layout.h"
#include "function/inspection/late_judge.h"
#include "module/inspection/loaded_rules.h"

namespace packetwarp {

// Packets that executors on GPUs could not judge to the end, since the start.
struct late_counts {
  std::uint64_t judged{};       // by the CPU, one packet and one rule each
  std::uint64_t matched{};      // of these
  std::uint64_t alerts{};       // of these: without the rules with noalert
  std::uint64_t not_blocked{};  // of these: the rule would drop or reject, but the packet has gone
};

// Judges them, and counts their rules' matches. For the master.
class late_alerts {
 public:
  // For rules that take the place of others in the set; engine: of their expressions. The rules outlive their use.
  void prepare(std::size_t set, loaded_rules const& rules, std::unique_ptr<inspect::regex_library> engine);
  // Whether the packet has to alert.
  [[nodiscard]] bool judge(inspection_parts::late_packet const& seen);

  // By number in rule_set::rules.
  [[nodiscard]] std::vector<inspection_rule_count> const& counted(std::size_t set) const { return by_rule_[set]; }
  [[nodiscard]] late_counts const& counts() const { return counts_; }

 private:
  std::array<loaded_rules const*, 2> rules_{};
  std::array<std::vector<inspection_rule_count>, 2> by_rule_;
  late_judge judge_;
  late_counts counts_;
};

}  // namespace packetwarp
