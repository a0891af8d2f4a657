// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/inspection_room.h"

namespace packetwarp::inspection_parts {

// Hands marked rules out to the lanes of a group, in their order, one for each lane at a time. All lanes go through the
// marks alike, which costs a few steps per rule in shared memory; the rule itself costs far more.
class marked_rules {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // A word's marks may change once its rules have been handed out.
  HOST_DEVICE explicit marked_rules(rule_marks const& marks) : marks_{marks}, words_{marks.used[0]} {}

  // The number of the lane's next rule; none: the others have the last ones.
  [[nodiscard]] HOST_DEVICE std::uint32_t take(auto const& group) {
    auto own = none;
    taken_ = 0;
    while (taken_ < group.lanes() && has_bits()) {
      if (taken_ == group.lane()) own = word_ * 32 + lowest_bit(bits_);
      bits_ &= bits_ - 1;
      ++taken_;
    }
    return own;
  }

  // The last call of take() had no rule for any lane.
  [[nodiscard]] HOST_DEVICE bool have_ended() const { return taken_ == 0; }

 private:
  // Goes on to the next word with marks, if the present one has no more.
  [[nodiscard]] HOST_DEVICE bool has_bits() {
    while (bits_ == 0) {
      while (words_ == 0) {
        if (++part_ >= parts) return false;
        words_ = marks_.used[part_];
      }
      word_ = part_ * 32 + lowest_bit(words_);
      words_ &= words_ - 1;
      bits_ = marks_.marked[word_];
    }
    return true;
  }

  static constexpr std::uint32_t parts = rule_marks::words / 32;

  rule_marks const& marks_;
  std::uint32_t part_{};
  std::uint32_t words_;   // that are left in the part
  std::uint32_t word_{};  // the present one
  std::uint32_t bits_{};  // that are left in it
  std::uint32_t taken_{};
};

}  // namespace packetwarp::inspection_parts
