// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "inspect/compiled/prefilter.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/http/message.h"
#include "inspect/packet/passing_positions.h"

namespace packetwarp::inspect {

// Finds the rules whose windows are in a text, on one thread of a CPU: what search_windows() finds at its positions, in
// two passes. The first one asks the first filter of the packet's class at each position, without a branch
// (passing_positions.h); the second one looks at the few positions that pass.
class window_search {
 public:
  explicit window_search(ruleset_ref rules, first_pass const& by = best_first_pass())
      : rules_{rules}, by_{by}, sets_(packet_classes + 1) {
    for (auto const& table : rules.header().windows) {
      auto const* const entries = rules.at<window_entry>(table.entries);
      for (std::uint32_t n = 0; n < table.entries.count; ++n) add(entries[n]);
    }
  }

  // Texts of up to this many bytes need no more memory.
  void make_room(std::uint32_t size) { folded_.resize(size + beyond); }

  // found(place, position): the window of a rule for these classes of packets begins there. A run of one window, as
  // in zeroes, is checked at its first and last position only.
  template <class Found>
  void search(text_view text, std::uint32_t from, std::uint32_t classes, Found&& found) {
    if (from >= text.size) return;
    fold(text, from);
    auto const size = text.size - from;
    auto const* const filter = first_filter_for(rules_, classes);
    bool const is_of_one = (classes & (classes - 1)) == 0;
    auto const& sets = sets_[is_of_one ? static_cast<std::uint32_t>(std::countr_zero(classes)) : packet_classes];
    std::array<std::uint32_t, block> passed;
    for (std::uint32_t begin = 0; begin < size; begin += block) {
      auto const end = size - begin < block ? size : begin + block;
      auto const count = by_.find(filter, sets, folded_.data(), begin, end, passed.data());
      for (std::uint32_t i = 0; i < count; ++i) {
        auto const at = passed[i];
        auto const window = window_at(at);
        bool const is_in_run =
            at != 0 && at + 1 + whole <= size && window_at(at - 1) == window && window_at(at + 1) == window;
        if (is_in_run) continue;
        find_window(rules_, window, size - at, classes, [&](std::uint32_t place) { found(place, from + at); });
      }
    }
  }

 private:
  static constexpr std::uint32_t block = 512;  // positions
  static constexpr std::uint32_t whole = window_bytes(0);
  static constexpr std::uint32_t beyond = whole + first_pass::read_beyond;

  // The text in lower case, and zeroes after it.
  void fold(text_view text, std::uint32_t from) {
    auto const size = text.size - from;
    if (folded_.size() < size + beyond) make_room(size);
    by_.fold(reinterpret_cast<unsigned char const*>(text.bytes + from), size, folded_.data());
    std::memset(folded_.data() + size, 0, whole);
  }
  void add(window_entry const& entry) {
    auto const first = static_cast<std::uint32_t>(entry.bytes);
    for (std::uint32_t number = 0; number < packet_classes; ++number)
      if ((entry.classes >> number & 1) != 0) sets_[number].add(first);
    sets_[packet_classes].add(first);
  }
  [[nodiscard]] std::uint64_t window_at(std::uint32_t at) const {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, folded_.data() + at, sizeof bytes);
    return bytes;
  }

  ruleset_ref rules_;
  first_pass by_;
  std::vector<first_bytes_sets> sets_;  // by class, then of all windows
  std::vector<unsigned char> folded_;
};

}  // namespace packetwarp::inspect
