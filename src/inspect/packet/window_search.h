// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "inspect/compiled/prefilter.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/http/message.h"

namespace packetwarp::inspect {

// Finds the rules whose windows are in a text, on one thread of a CPU: what search_windows() finds at its positions, in
// two passes. The first one asks the first filter of the packet's class at each position, without a branch; the second
// one looks at the few positions that pass.
class window_search {
 public:
  explicit window_search(ruleset_ref rules) : rules_{rules} {}

  // found(place, position): the window of a rule for these classes of packets begins there. A run of one window, as
  // in zeroes, is checked at its first and last position only.
  template <class Found>
  void search(text_view text, std::uint32_t from, std::uint32_t classes, Found&& found) {
    if (from >= text.size) return;
    fold(text, from);
    auto const size = text.size - from;
    auto const* const filter = first_filter_for(rules_, classes);
    std::array<std::uint32_t, block> passed;
    for (std::uint32_t begin = 0; begin < size; begin += block) {
      auto const count = pass(filter, begin, size - begin < block ? size : begin + block, passed);
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

  // The text in lower case, and zeroes after it.
  void fold(text_view text, std::uint32_t from) {
    auto const size = text.size - from;
    if (folded_.size() < size + whole) folded_.resize(size + whole);
    // Pointers to memory apart from each other: compilers then take 16 bytes at a time.
    auto const* __restrict in = reinterpret_cast<unsigned char const*>(text.bytes + from);
    auto* __restrict out = folded_.data();
    for (std::uint32_t i = 0; i < size; ++i) {
      auto const c = in[i];
      out[i] = static_cast<unsigned char>(c | (static_cast<unsigned char>(c - 'A') < 26 ? 'a' - 'A' : 0));
    }
    std::memset(out + size, 0, whole);
  }
  [[nodiscard]] std::uint64_t window_at(std::uint32_t at) const {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, folded_.data() + at, sizeof bytes);
    return bytes;
  }
  [[nodiscard]] std::uint32_t pass(std::uint64_t const* filter, std::uint32_t begin, std::uint32_t end,
                                   std::array<std::uint32_t, block>& passed) const {
    auto const* bytes = folded_.data();
    std::uint32_t count = 0;
    for (auto at = begin; at < end; ++at) {
      std::uint32_t first = 0;
      std::memcpy(&first, bytes + at, sizeof first);
      passed[count] = at;
      count += may_begin_window(filter, first) ? 1U : 0U;
    }
    return count;
  }

  ruleset_ref rules_;
  std::vector<unsigned char> folded_;
};

}  // namespace packetwarp::inspect
