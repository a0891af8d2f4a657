// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/inspection_room.h"
#include "function/network/unroll.h"
#include "inspect/compiled/prefilter.h"

namespace packetwarp::inspection_parts {

// The positions of a text at which a window may begin, by the first four bytes. All lanes of a group ask this for all
// positions once, without a branch; then each lane looks for whole windows at the few positions of its own that passed,
// so that a warp does not wait at each of its steps for the one lane that has found something. The text must outlive
// it.
class window_starts {
 public:
  HOST_DEVICE window_starts(auto const& group, inspect::ruleset_ref rules, std::byte const* text, std::uint32_t size)
      : text_{text}, size_{size} {
    if (size < shortest) return;
    auto const* const filter = rules.at<std::uint64_t>(rules.header().first_filter);
    auto const last = size - shortest;
    // The bits stay in registers.
    UNROLLED
    for (std::uint32_t part = 0; part < parts; ++part) {
      auto const begin = position(group, part, 0) - group.lane();
      if (begin > last) return;  // all lanes are at the end
      auto const left = (last - begin) / group.lanes() + 1;
      auto const count = left < steps ? left : steps;
      // A position after the end asks for the last one: so no step waits for the one before.
      UNROLLED_BY_4
      for (std::uint32_t step = 0; step < count; ++step) {
        auto const at = position(group, part, step);
        bool const passes = inspect::may_begin_window(filter, inspect::load_first(text + (at < last ? at : last)));
        passed_[part] |= (passes && at <= last ? 1U : 0U) << step;
      }
    }
  }

  // found(place): the rule at that place, for packets of the classes, has a window at a position of this lane's. The
  // same rule may be found several times. A run of one window, as in zeroes, is checked where it begins and ends.
  template <class Found>
  HOST_DEVICE void search(auto const& group, inspect::ruleset_ref rules, std::uint32_t classes, Found&& found) const {
    UNROLLED
    for (std::uint32_t part = 0; part < parts; ++part) {
      for (auto left = passed_[part]; left != 0; left &= left - 1) {
        auto const at = position(group, part, lowest_bit(left));
        if (is_in_run(at)) continue;
        inspect::find_window(rules, inspect::load_window(text_ + at, size_ - at), size_ - at, classes, found);
      }
    }
    for (auto at = position(group, parts, 0); at < size_; at += group.lanes()) {
      inspect::search_windows(rules, text_, size_, at, classes, found);
    }
  }

 private:
  static constexpr std::uint32_t steps = 32;
  static constexpr auto shortest = inspect::window_bytes(inspect::window_kinds - 1);
  static constexpr auto longest = inspect::window_bytes(0);
  static constexpr std::uint32_t parts = 2;  // 2,048 positions for a warp; a longer text's others are asked in search()

  [[nodiscard]] HOST_DEVICE static std::uint32_t position(auto const& group, std::uint32_t part, std::uint32_t step) {
    return (part * steps + step) * group.lanes() + group.lane();
  }
  // The longest window at this position is that of the positions before and after it.
  [[nodiscard]] HOST_DEVICE bool is_in_run(std::uint32_t at) const {
    if (at == 0 || size_ - at <= longest) return false;
    auto const window = inspect::load_window(text_ + at, longest);
    if (((window ^ window >> 8) & inspect::first_bytes(~std::uint64_t{0}, longest - 1)) != 0) return false;
    auto const one = [](std::byte c) { return inspect::folded(static_cast<std::uint32_t>(c)) & 0xff; };
    return one(text_[at - 1]) == (window & 0xff) && one(text_[at + longest]) == (window & 0xff);
  }

  std::byte const* text_;
  std::uint32_t size_;
  std::uint32_t passed_[parts]{};  // a bit per step of this lane
};

}  // namespace packetwarp::inspection_parts
