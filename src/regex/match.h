// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "regex/automaton.h"

namespace packetwarp::regex {

// The end of a match that was given up: whether there is one is not known.
inline constexpr std::uint32_t given_up = ~std::uint32_t{0};

namespace detail {

// next(byte): false ends it. False: the bound was over. A GPU reads words, of which the first and the last may have
// bytes beside the text: these are not used; it looks at the bound once for each. The text may begin at any address.
template <class Bound, class Next>
[[nodiscard]] HOST_DEVICE bool for_bytes(std::byte const* text, std::uint32_t size, [[maybe_unused]] Bound const& bound,
                                         Next&& next) {
#if defined(__CUDA_ARCH__)
  if (size == 0) return true;
  auto const before = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(text) % 8);
  auto const* words = reinterpret_cast<std::uint64_t const*>(text - before);
  auto word = *words >> (8 * before);
  auto in_word = 8 - before;
  for (auto left = size;;) {
    auto const count = left < in_word ? left : in_word;
    for (std::uint32_t i = 0; i < count; ++i, word >>= 8) {
      if (!next(static_cast<std::uint32_t>(word & 0xff))) return true;
    }
    left -= count;
    if (left == 0) return true;
    if (bound.is_over()) return false;
    word = *++words;
    in_word = 8;
  }
#else
  for (std::uint32_t at = 0; at < size; ++at) {
    if (!next(static_cast<std::uint32_t>(text[at]))) return true;
  }
  return true;
#endif
}

template <class Bound>
[[nodiscard]] HOST_DEVICE bool run_dfa(automaton_ref of, std::byte const* text, std::uint32_t size, std::uint32_t& end,
                                       Bound const& bound) {
  auto const* const class_of = of.header().class_of;
  auto const* const entries = of.tables<std::uint16_t>();
  auto state = of.header().start;
  end = 0;
  if (state >= dfa_state::first) {
    bool const has_ended = for_bytes(text, size, bound, [&](std::uint32_t byte) {
      state = entries[state + 1 + class_of[byte]];
      ++end;
      return state >= dfa_state::first;
    });
    if (!has_ended) {
      end = given_up;
      return false;
    }
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

template <std::uint32_t Words, class Bound>
[[nodiscard]] HOST_DEVICE bool run_bit_nfa(automaton_ref of, std::byte const* text, std::uint32_t size,
                                           std::uint32_t& end, Bound const& bound) {
  bit_run<Words> run{of};
  end = 0;
  if (run.is_in(nfa_set::accepts)) return true;
  bool const has_ended = for_bytes(text, size, bound, [&](std::uint32_t byte) {
    ++end;
    return run.take(byte);
  });
  if (!has_ended) {
    end = given_up;
    return false;
  }
  return run.has_accepted() || run.is_in(nfa_set::accepts_at_end);
}

}  // namespace detail

// Whether the expression matches anywhere in a text. end: where a match is known first, which is the least end of one,
// or a byte more, as for `\b`. The cost grows with the size: a DFA takes one step per byte, and a bit NFA takes one for
// each word of its sets, and for each group when an exceptional position is active. bound.is_over(): on a GPU the match
// is given up, and its end is given_up.
template <class Bound>
[[nodiscard]] HOST_DEVICE bool matches(automaton_ref of, std::byte const* text, std::uint32_t size, std::uint32_t& end,
                                       Bound const& bound) {
  if (of.header().kind == automaton_kind::dfa) return detail::run_dfa(of, text, size, end, bound);
  switch (of.header().words) {
    case 1:
      return detail::run_bit_nfa<1>(of, text, size, end, bound);
    case 2:
      return detail::run_bit_nfa<2>(of, text, size, end, bound);
    case 4:
      return detail::run_bit_nfa<4>(of, text, size, end, bound);
    default:
      return detail::run_bit_nfa<8>(of, text, size, end, bound);
  }
}
struct no_bound {
  [[nodiscard]] HOST_DEVICE static constexpr bool is_over() noexcept { return false; }
};
[[nodiscard]] HOST_DEVICE inline bool matches(automaton_ref of, std::byte const* text, std::uint32_t size,
                                              std::uint32_t& end) {
  return matches(of, text, size, end, no_bound{});
}
[[nodiscard]] HOST_DEVICE inline bool matches(automaton_ref of, std::byte const* text, std::uint32_t size) {
  std::uint32_t end = 0;
  return matches(of, text, size, end);
}
// The steps that a byte of a text takes.
[[nodiscard]] HOST_DEVICE inline std::uint32_t steps_of_byte(automaton_ref of) {
  return of.header().kind == automaton_kind::dfa ? 1 : of.header().words;
}

}  // namespace packetwarp::regex
