// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/rules/rules_packet.h"

namespace packetwarp::rules_match {

// Hashes a key's words one by one, then the end (Fibonacci hashing: Knuth, The Art of Computer Programming, volume 3,
// 6.4). A product's upper half depends on every bit of the key. A sender chooses the keys of its packets, but not the
// stored keys, which alone decide how many slots a packet's lookup probes.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t hash_step(std::uint64_t hash, std::uint32_t word) noexcept {
  return (hash ^ word) * 0x9e37'79b9'7f4a'7c15U;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t hash_end(std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>(hash >> 32);
}

// The number of a value's bit in a screen; the word is in network order, as in the packet.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t number_in_screen(std::uint32_t masked) noexcept {
  return masked * 0x9e37'79b1U >> (32 - rules_screen::bits);
}
[[nodiscard]] HOST_DEVICE inline std::uint32_t word_as_it_lies(std::byte const* at) noexcept {
  return static_cast<std::uint32_t>(at[0]) | static_cast<std::uint32_t>(at[1]) << 8 |
         static_cast<std::uint32_t>(at[2]) << 16 | static_cast<std::uint32_t>(at[3]) << 24;
}

// Whether one of the screens matches a plain packet, so that a rule may.
[[nodiscard]] HOST_DEVICE inline bool is_screened_in(rules_screen const* screen, rules_screen const* end,
                                                     std::byte const* plain) noexcept {
  for (; screen != end; ++screen) {
    auto const number = number_in_screen(word_as_it_lies(plain + screen->at) & screen->mask);
    if ((screen->may_match[number / 32] >> number % 32 & 1) != 0) return true;
  }
  return false;
}

// Whether a field lies in its range. Bytes in network order compare like the number that they are.
[[nodiscard]] HOST_DEVICE inline bool is_in(rules_packet const& packet, rules_range const& range) noexcept {
  auto const* const field = packet.header(range.header) + range.offset;
  int above = 0;
  int below = 0;
  for (unsigned i = 0; i < range.size; ++i) {
    auto const value = static_cast<int>(field[i] & range.mask[i]);
    if (above == 0) above = value - static_cast<int>(range.low[i]);
    if (below == 0) below = static_cast<int>(range.high[i]) - value;
  }
  return above >= 0 && below >= 0;
}

// The first rule after `after` whose ranges hold, among rules with one key in ascending order of rank.
[[nodiscard]] HOST_DEVICE inline std::uint32_t first_of_chain(rules_set const& tables, std::uint32_t entry,
                                                              std::uint32_t from_rank,
                                                              rules_packet const& packet) noexcept {
  for (; entry != rules_entry::none; entry = tables.entry(entry).next) {
    auto const& one = tables.entry(entry);
    if (one.rank < from_rank) continue;
    bool holds = true;
    for (unsigned i = 0; holds && i < one.ranges; ++i) holds = is_in(packet, tables.ranges[one.ranges_at + i]);
    if (holds) break;
  }
  return entry;
}

// The first rule of a tuple with the packet's key, or none: for a key of one word, and for any key.
[[nodiscard]] HOST_DEVICE inline std::uint32_t probe_word(rules_set const& tables, rules_tuple const& tuple,
                                                          rules_packet const& packet) noexcept {
  auto const key = packet.masked(tuple.first_word);
  auto const* const slots = tables.slots + tuple.slots_at;
  for (auto slot = hash_end(hash_step(0, key)) & tuple.slot_mask;; slot = (slot + 1) & tuple.slot_mask) {
    auto const line = slots[2 * slot];
    if (line == 0) return rules_entry::none;
    if (slots[2 * slot + 1] == key) return line - 1;
  }
}
[[nodiscard]] HOST_DEVICE inline std::uint32_t probe_words(rules_set const& tables, rules_tuple const& tuple,
                                                           rules_packet const& packet) noexcept {
  std::uint32_t key[max_rules_words];
  std::uint64_t hash = 0;
  for (unsigned i = 0; i < tuple.words; ++i) {
    key[i] = packet.masked(tables.words[tuple.words_at + i]);
    hash = hash_step(hash, key[i]);
  }
  for (auto slot = hash_end(hash) & tuple.slot_mask;; slot = (slot + 1) & tuple.slot_mask) {
    auto const* const stored = tables.slots + tuple.slots_at + std::size_t{slot} * (1 + tuple.words);
    if (stored[0] == 0) return rules_entry::none;
    bool same = true;
    for (unsigned i = 0; same && i < tuple.words; ++i) same = stored[1 + i] == key[i];
    if (same) return stored[0] - 1;
  }
}

// The rule of a group that applies first among rules of rank `from_rank` or more: a line, or none.
[[nodiscard]] HOST_DEVICE inline std::uint32_t find(rules_set const& tables, std::uint32_t group,
                                                    std::uint32_t from_rank, rules_packet const& packet) noexcept {
  std::uint32_t best = rules_entry::none;
  std::uint32_t best_rank = rules_entry::none;
  auto const& all = tables.groups[group];
  for (unsigned n = 0; n < all.tuples; ++n) {
    auto const& tuple = tables.tuples[all.tuples_at + n];
    // Tuples are in the order of their earliest rule.
    if (tuple.first_rank > best_rank) break;
    if ((packet.facts & tuple.facts_mask) != tuple.facts) continue;
    auto const first = tuple.words == 1 ? probe_word(tables, tuple, packet) : probe_words(tables, tuple, packet);
    if (first == rules_entry::none) continue;
    auto const entry = first_of_chain(tables, first, from_rank, packet);
    if (entry == rules_entry::none || tables.entry(entry).rank >= best_rank) continue;
    best = entry;
    best_rank = tables.entry(entry).rank;
  }
  return best;
}

}  // namespace packetwarp::rules_match
