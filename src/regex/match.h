// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "regex/automaton.h"

namespace packetwarp::regex {

namespace detail {

// next(byte): false ends it. A GPU reads words, of which the first and the last may have bytes beside the text: these
// are not used. The text may begin at any address.
template <class Next>
HOST_DEVICE void for_bytes(std::byte const* text, std::uint32_t size, Next&& next) {
#if defined(__CUDA_ARCH__)
  if (size == 0) return;
  auto const before = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(text) % 8);
  auto const* words = reinterpret_cast<std::uint64_t const*>(text - before);
  auto word = *words >> (8 * before);
  auto in_word = 8 - before;
  for (auto left = size;;) {
    auto const count = left < in_word ? left : in_word;
    for (std::uint32_t i = 0; i < count; ++i, word >>= 8) {
      if (!next(static_cast<std::uint32_t>(word & 0xff))) return;
    }
    left -= count;
    if (left == 0) return;
    word = *++words;
    in_word = 8;
  }
#else
  for (std::uint32_t at = 0; at < size; ++at) {
    if (!next(static_cast<std::uint32_t>(text[at]))) return;
  }
#endif
}

[[nodiscard]] HOST_DEVICE inline bool run_dfa(automaton_ref of, std::byte const* text, std::uint32_t size,
                                              std::uint32_t& end) {
  auto const* const class_of = of.header().class_of;
  auto const* const entries = of.tables<std::uint16_t>();
  auto state = of.header().start;
  end = 0;
  if (state >= dfa_state::first) {
    for_bytes(text, size, [&](std::uint32_t byte) {
      state = entries[state + 1 + class_of[byte]];
      ++end;
      return state >= dfa_state::first;
    });
  }
  if (state >= dfa_state::first) state = entries[state];
  return state == dfa_state::accepted;
}

// The sets of a bit NFA, of `Words` words each, and the positions that it is in.
template <std::uint32_t Words>
class bit_run {
 public:
  HOST_DEVICE explicit bit_run(automaton_ref of) : of_{of}, sets_{of.tables<std::uint64_t>()} { active_[0] = 1; }

  // False: nothing that follows changes the answer.
  [[nodiscard]] HOST_DEVICE bool take(std::uint32_t byte) {
    std::uint64_t next[Words];
    std::uint64_t carried = 0;
    std::uint64_t exceptional = 0;
    for (std::uint32_t i = 0; i < Words; ++i) {
      auto const shifted = active_[i] & set(nfa_set::shift)[i];
      next[i] = shifted << 1 | carried | (active_[i] & set(nfa_set::loop)[i]);
      carried = shifted >> 63;
      exceptional |= active_[i] & set(nfa_set::exceptional)[i];
    }
    if (exceptional != 0) add_exceptions(next);
    auto const* const taking = set(nfa_set::takes + of_.header().class_of[byte]);
    std::uint64_t alive = 0;
    std::uint64_t accepting = 0;
    for (std::uint32_t i = 0; i < Words; ++i) {
      active_[i] = next[i] & taking[i];
      alive |= active_[i];
      accepting |= active_[i] & set(nfa_set::accepts)[i];
    }
    has_accepted_ = accepting != 0;
    return alive != 0 && !has_accepted_;
  }
  [[nodiscard]] HOST_DEVICE bool is_in(std::uint32_t number) const {
    std::uint64_t common = 0;
    for (std::uint32_t i = 0; i < Words; ++i) common |= active_[i] & set(number)[i];
    return common != 0;
  }
  [[nodiscard]] HOST_DEVICE bool has_accepted() const { return has_accepted_; }

 private:
  [[nodiscard]] HOST_DEVICE std::uint64_t const* set(std::uint32_t number) const { return sets_ + number * Words; }
  HOST_DEVICE void add_exceptions(std::uint64_t (&next)[Words]) const {
    auto const* group = set(nfa_set::takes + of_.header().classes);
    for (std::uint32_t left = of_.header().groups; left != 0; --left, group += 2 * Words) {
      std::uint64_t from = 0;
      for (std::uint32_t i = 0; i < Words; ++i) from |= active_[i] & group[i];
      if (from == 0) continue;
      for (std::uint32_t i = 0; i < Words; ++i) next[i] |= group[Words + i];
    }
  }

  automaton_ref of_;
  std::uint64_t const* sets_;
  std::uint64_t active_[Words]{};
  bool has_accepted_{};
};

template <std::uint32_t Words>
[[nodiscard]] HOST_DEVICE bool run_bit_nfa(automaton_ref of, std::byte const* text, std::uint32_t size,
                                           std::uint32_t& end) {
  bit_run<Words> run{of};
  end = 0;
  if (run.is_in(nfa_set::accepts)) return true;
  for_bytes(text, size, [&](std::uint32_t byte) {
    ++end;
    return run.take(byte);
  });
  return run.has_accepted() || run.is_in(nfa_set::accepts_at_end);
}

}  // namespace detail

// Whether the expression matches anywhere in a text. end: where a match is known first, which is the least end of one,
// or a byte more, as for `\b`. The cost grows with the size: a DFA takes one step per byte, and a bit NFA takes one for
// each word of its sets, and for each group when an exceptional position is active.
[[nodiscard]] HOST_DEVICE inline bool matches(automaton_ref of, std::byte const* text, std::uint32_t size,
                                              std::uint32_t& end) {
  if (of.header().kind == automaton_kind::dfa) return detail::run_dfa(of, text, size, end);
  switch (of.header().words) {
    case 1:
      return detail::run_bit_nfa<1>(of, text, size, end);
    case 2:
      return detail::run_bit_nfa<2>(of, text, size, end);
    case 4:
      return detail::run_bit_nfa<4>(of, text, size, end);
    default:
      return detail::run_bit_nfa<8>(of, text, size, end);
  }
}
[[nodiscard]] HOST_DEVICE inline bool matches(automaton_ref of, std::byte const* text, std::uint32_t size) {
  std::uint32_t end = 0;
  return matches(of, text, size, end);
}

}  // namespace packetwarp::regex
