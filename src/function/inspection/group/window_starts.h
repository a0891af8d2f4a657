// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/inspection/inspection_room.h"
#include "inspect/compiled/prefilter.h"

namespace packetwarp::inspection_parts {

namespace detail {

// The longest window at this position is that of the positions before and after it.
[[nodiscard]] HOST_DEVICE inline bool is_in_run(std::byte const* text, std::uint32_t size, std::uint32_t at,
                                                std::uint64_t window) {
  constexpr auto longest = inspect::window_bytes(0);
  if (at == 0 || size - at <= longest) return false;
  if (((window ^ window >> 8) & inspect::first_bytes(~std::uint64_t{0}, longest - 1)) != 0) return false;
  auto const one = [](std::byte c) { return inspect::folded(static_cast<std::uint32_t>(c)) & 0xff; };
  return one(text[at - 1]) == (window & 0xff) && one(text[at + longest]) == (window & 0xff);
}

}  // namespace detail

// found(place): a rule has the window at this position. A run of one window, as in zeroes, is checked where it begins
// and ends.
template <class Found>
HOST_DEVICE void look_at_window(inspect::ruleset_ref rules, std::byte const* text, std::uint32_t size, std::uint32_t at,
                                std::uint32_t classes, Found&& found) {
  auto const window = inspect::load_window(text + at, size - at);
  if (!detail::is_in_run(text, size, at, window)) inspect::find_window(rules, window, size - at, classes, found);
}

// The positions of a text at which a window of a rule for a class of packets may begin, by the first four bytes. All
// lanes of a group ask this for all positions once, without a branch; then each lane looks for whole windows at the few
// positions of its own that passed, so that a warp does not wait at each of its steps for the one lane that has found
// something. The text must outlive it.
class window_starts {
 public:
  HOST_DEVICE window_starts(auto const& group, inspect::ruleset_ref rules, std::uint32_t classes, std::byte const* text,
                            std::uint32_t size)
      : text_{text}, size_{size}, classes_{classes}, shift_{group.lanes() == 1 ? 0 : shift_of(text)} {
    if (size < shortest) return;
    auto const* const filter = inspect::first_filter_for(rules, classes);
    if (group.lanes() == 1) {
      for (std::uint32_t at = 0; at <= size - shortest && at < parts * 32; ++at) {
        bool const passes = inspect::may_begin_window(filter, inspect::load_first(text + at));
        passed_[at / 32] |= (passes ? 1U : 0U) << at % 32;
      }
    } else {
      ask_by_words(group, filter);
    }
  }

  // found(place): the rule at that place, for packets of the class, has a window at a position that this lane looks at.
  // The same rule may be found several times. handed: of the group's room.
  template <class Found>
  HOST_DEVICE void search(auto const& group, handed_starts& handed, inspect::ruleset_ref rules, Found&& found) const {
    if (size_ < shortest) return;
    if (group.lanes() == 1) {
      for (std::uint32_t part = 0; part < parts; ++part) {
        for (auto left = passed_[part]; left != 0; left &= left - 1) {
          look_at_window(rules, text_, size_, position(group, part, lowest_bit(left)), classes_, found);
        }
      }
    } else {
      search_together(group, handed, rules, found);
    }
    for (auto at = parts * 32 * group.lanes() - shift_ + group.lane(); at < size_; at += group.lanes()) {
      inspect::search_windows(rules, text_, size_, at, classes_, found);
    }
  }

 private:
  static constexpr std::uint32_t word_bytes = 4;
  static constexpr std::uint32_t steps = 32 / word_bytes;  // of a part: each is a word
  static constexpr std::uint32_t few_positions = 2;        // of a lane
  static constexpr auto shortest = inspect::window_bytes(inspect::window_kinds - 1);
  static constexpr std::uint32_t parts = 2;  // 2,048 positions for a warp; a longer text's others are asked in search()

  [[nodiscard]] HOST_DEVICE static std::uint32_t shift_of(std::byte const* text) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(text) % word_bytes);
  }
  // An aligned word that has a byte of the text; its other bytes mean nothing.
  [[nodiscard]] HOST_DEVICE std::uint32_t word_at(std::uint32_t n) const {
#if defined(__CUDA_ARCH__)
    return inspect::folded(reinterpret_cast<std::uint32_t const*>(text_ - shift_)[n]);
#else
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < word_bytes; ++i) {
      auto const at = n * word_bytes + i - shift_;  // less than 0 is more than any size
      if (at < size_) word |= static_cast<std::uint32_t>(text_[at]) << (8 * i);
    }
    return inspect::folded(word);
#endif
  }
  // Each lane asks for the positions that begin in a word of its own: four for two words that it reads. The bits stay
  // in registers.
  HOST_DEVICE void ask_by_words(auto const& group, std::uint64_t const* filter) {
    auto const last = size_ - shortest;
    auto const last_start = (shift_ + last) / word_bytes;
    auto const last_word = (shift_ + size_ - 1) / word_bytes;
    UNROLLED
    for (std::uint32_t part = 0; part < parts; ++part) {
      auto const begin = part * steps * group.lanes();
      if (begin > last_start) return;  // all lanes are at the end
      auto const left = (last_start - begin) / group.lanes() + 1;
      auto const count = left < steps ? left : steps;
      NOT_UNROLLED
      for (std::uint32_t step = 0; step < count; ++step) {
        auto const n = begin + step * group.lanes() + group.lane();
        auto const lower = word_at(n < last_word ? n : last_word);
        auto const bytes = static_cast<std::uint64_t>(word_at(n < last_word ? n + 1 : last_word)) << 32 | lower;
        UNROLLED
        for (std::uint32_t i = 0; i < word_bytes; ++i) {
          bool const passes = inspect::may_begin_window(filter, static_cast<std::uint32_t>(bytes >> (8 * i)));
          bool const is_there = n * word_bytes + i - shift_ <= last;
          passed_[part] |= (passes && is_there ? 1U : 0U) << (step * word_bytes + i);
        }
      }
    }
  }
  // The position of a bit of passed_.
  [[nodiscard]] HOST_DEVICE std::uint32_t position(auto const& group, std::uint32_t part, std::uint32_t bit) const {
    auto const n = (part * steps + bit / word_bytes) * group.lanes() + group.lane();
    return n * word_bytes + bit % word_bytes - shift_;
  }
  // Some lanes have many positions and others none: all positions are dealt to all lanes. A short text has so few that
  // each lane looks at its own.
  template <class Found>
  HOST_DEVICE void search_together(auto const& group, handed_starts& handed, inspect::ruleset_ref rules,
                                   Found&& found) const {
    std::uint32_t left[parts];
    UNROLLED
    for (std::uint32_t part = 0; part < parts; ++part) left[part] = passed_[part];
    bool const is_short = size_ <= few_positions * group.lanes();
    while (is_short || hand_over(group, handed, left)) {
      // A short text is searched without a wait: another lane may be at the next text, and count its positions.
      auto const count = is_short ? bits_in(left[0]) : handed_ones(handed);
      for (auto i = is_short ? 0 : group.lane(); i < count; i += is_short ? 1 : group.lanes()) {
        auto const at = is_short ? position(group, 0, lowest_bit(left[0])) : handed.positions[i];
        left[0] &= is_short ? left[0] - 1 : ~std::uint32_t{0};
        look_at_window(rules, text_, size_, at, classes_, found);
      }
      if (is_short) return;
      group.sync();
      if (group.lane() == 0) handed.count = 0;
      group.sync();
    }
  }
  [[nodiscard]] HOST_DEVICE static std::uint32_t handed_ones(handed_starts const& handed) {
    return handed.count < handed_starts::most ? handed.count : handed_starts::most;
  }
  // Puts the lane's positions that are left into the room, as far as they fit, and waits for those of the others.
  // False: no lane had one.
  [[nodiscard]] HOST_DEVICE bool hand_over(auto const& group, handed_starts& handed,
                                           std::uint32_t (&left)[parts]) const {
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
  std::byte const* text_;
  std::uint32_t size_;
  std::uint32_t classes_;
  std::uint32_t shift_;            // of several lanes: the text's first byte in its word
  std::uint32_t passed_[parts]{};  // a bit per position of this lane
};

}  // namespace packetwarp::inspection_parts
