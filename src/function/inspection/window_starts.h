// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

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

  // found(place): the rule at that place, for packets of the classes, has a window at a position that this lane looks
  // at. The same rule may be found several times. A run of one window, as in zeroes, is checked where it begins and
  // ends. handed: of the group's room.
  template <class Found>
  HOST_DEVICE void search(auto const& group, handed_starts& handed, inspect::ruleset_ref rules, std::uint32_t classes,
                          Found&& found) const {
    if (size_ < shortest) return;
    if (group.lanes() == 1) {
      for (std::uint32_t part = 0; part < parts; ++part) {
        for (auto left = passed_[part]; left != 0; left &= left - 1) {
          look_at(rules, position(group, part, lowest_bit(left)), classes, found);
        }
      }
    } else {
      search_together(group, handed, rules, classes, found);
    }
    for (auto at = position(group, parts, 0); at < size_; at += group.lanes()) {
      inspect::search_windows(rules, text_, size_, at, classes, found);
    }
  }

 private:
  static constexpr std::uint32_t steps = 32;
  static constexpr std::uint32_t few_positions = 2;  // of a lane
  static constexpr auto shortest = inspect::window_bytes(inspect::window_kinds - 1);
  static constexpr auto longest = inspect::window_bytes(0);
  static constexpr std::uint32_t parts = 2;  // 2,048 positions for a warp; a longer text's others are asked in search()

  [[nodiscard]] HOST_DEVICE static std::uint32_t position(auto const& group, std::uint32_t part, std::uint32_t step) {
    return (part * steps + step) * group.lanes() + group.lane();
  }
  // Some lanes have many positions and others none: all positions are dealt to all lanes. A short text has so few that
  // each lane looks at its own.
  template <class Found>
  HOST_DEVICE void search_together(auto const& group, handed_starts& handed, inspect::ruleset_ref rules,
                                   std::uint32_t classes, Found&& found) const {
    std::uint32_t left[parts];
    UNROLLED
    for (std::uint32_t part = 0; part < parts; ++part) left[part] = passed_[part];
    bool const is_short = size_ <= few_positions * group.lanes();
    while (is_short || hand_over(group, handed, left)) {
      auto const count = is_short ? size_ : handed.count < handed_starts::most ? handed.count : handed_starts::most;
      for (auto i = group.lane(); i < count; i += group.lanes()) {
        if (is_short && (left[0] >> i / group.lanes() & 1) == 0) continue;
        look_at(rules, is_short ? i : handed.positions[i], classes, found);
      }
      if (is_short) return;
      group.sync();
      if (group.lane() == 0) handed.count = 0;
      group.sync();
    }
  }
  // Puts the lane's positions that are left into the room, as far as they fit, and waits for those of the others.
  // False: no lane had one.
  [[nodiscard]] HOST_DEVICE static bool hand_over(auto const& group, handed_starts& handed,
                                                  std::uint32_t (&left)[parts]) {
    static_assert(parts == 2);
    auto const own = bits_in(left[0]) + bits_in(left[1]);
    auto to = own == 0 ? 0 : places_for(handed.count, own);
    UNROLLED
    for (std::uint32_t part = 0; part < parts; ++part) {
      for (; left[part] != 0 && to < handed_starts::most; left[part] &= left[part] - 1) {
        handed.positions[to++] = static_cast<std::uint16_t>(position(group, part, lowest_bit(left[part])));
      }
    }
    group.sync();
    bool const has_some = handed.count != 0;
    group.sync();
    return has_some;
  }
  // The first of `wanted` places.
  [[nodiscard]] HOST_DEVICE static std::uint32_t places_for(std::uint32_t& count, std::uint32_t wanted) {
    return cuda::atomic_ref<std::uint32_t, cuda::thread_scope_block>{count}.fetch_add(wanted,
                                                                                      cuda::memory_order_relaxed);
  }
  template <class Found>
  HOST_DEVICE void look_at(inspect::ruleset_ref rules, std::uint32_t at, std::uint32_t classes, Found&& found) const {
    if (is_in_run(at)) return;
    inspect::find_window(rules, inspect::load_window(text_ + at, size_ - at), size_ - at, classes, found);
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
