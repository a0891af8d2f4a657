// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"

namespace packetwarp::regex {

// A compiled expression: one piece of memory without pointers, at an address that 8 divides. CPUs and GPUs read it.
//
// A deterministic automaton: after the header, entries of 16 bits. A state is the index of its row's first entry; a row
// has an entry for the text's end and one for each class of bytes. The values dead and accepted are no rows.
//
// A bit NFA (Glushkov's automaton as in Hyperscan's LimEx): a bit per position, the lowest for the begin of the text.
// After the header, sets of `words` words: positions that lead to the next one (shift), to themselves (loop), to others
// (exceptional), positions that accept, that accept at the end; for each class of bytes the positions that take it;
// then `groups` pairs of a set of positions and the set of positions that each of them leads to, beside the next one
// and itself.
enum class automaton_kind : std::uint32_t { dfa, bit_nfa };

struct automaton_header {
  automaton_kind kind;
  std::uint32_t bytes;    // of all, with this header
  std::uint32_t classes;  // of bytes
  std::uint32_t start;    // of a DFA: its first state
  std::uint32_t words;    // of a bit NFA: 1, 2, 4 or 8
  std::uint32_t groups;   // of a bit NFA
  std::uint8_t class_of[256];
};
static_assert(sizeof(automaton_header) == 280 && sizeof(automaton_header) % 8 == 0);

namespace dfa_state {
inline constexpr std::uint32_t dead = 0;
inline constexpr std::uint32_t accepted = 1;
inline constexpr std::uint32_t first = 2;  // the first row's entry; those before it are not used
}  // namespace dfa_state

// Bounds of compile()'s automata.
inline constexpr std::uint32_t most_states = 1024;
inline constexpr std::uint32_t most_table_bytes = 64 * 1024;
inline constexpr std::uint32_t most_bits = 512;
inline constexpr std::uint32_t most_groups = 64;

// Sets of a bit NFA, in this order.
namespace nfa_set {
inline constexpr std::uint32_t shift = 0;
inline constexpr std::uint32_t loop = 1;
inline constexpr std::uint32_t exceptional = 2;
inline constexpr std::uint32_t accepts = 3;
inline constexpr std::uint32_t accepts_at_end = 4;
inline constexpr std::uint32_t takes = 5;  // the first class's
}  // namespace nfa_set

// Does not own.
struct automaton_ref {
  std::byte const* base;

  [[nodiscard]] HOST_DEVICE automaton_header const& header() const {
    return *reinterpret_cast<automaton_header const*>(base);
  }
  template <class T>
  [[nodiscard]] HOST_DEVICE T const* tables() const {
    return reinterpret_cast<T const*>(base + sizeof(automaton_header));
  }
};

}  // namespace packetwarp::regex
