// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/rules/rules_packet.h"

namespace packetwarp::rules_match {

// A key's words one by one, then the end: every bit of the key counts in the low bits, which choose the slot (the end
// is MurmurHash3's, by Austin Appleby).
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t hash_step(std::uint32_t hash, std::uint32_t word) noexcept {
  hash = (hash ^ word) * 0x9e37'79b1U;
  return hash ^ hash >> 15;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t hash_end(std::uint32_t hash) noexcept {
  hash = (hash ^ hash >> 16) * 0x85eb'ca6bU;
  hash = (hash ^ hash >> 13) * 0xc2b2'ae35U;
  return hash ^ hash >> 16;
}

// Whether a field lies in its range. Bytes in network order compare as the number they are.
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

// Of the rules with one key, in ascending order of rank, the first behind `after` whose ranges hold.
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

// The first rule of a tuple with the packet's key, or none.
[[nodiscard]] HOST_DEVICE inline std::uint32_t probe(rules_set const& tables, rules_tuple const& tuple,
                                                     rules_packet const& packet) noexcept {
  std::uint32_t key[max_rules_words];
  std::uint32_t hash = 0;
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

// The rule of a group that applies first, of those whose rank is `from_rank` or more: a line, or none.
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
    auto const entry = first_of_chain(tables, probe(tables, tuple, packet), from_rank, packet);
    if (entry == rules_entry::none || tables.entry(entry).rank >= best_rank) continue;
    best = entry;
    best_rank = tables.entry(entry).rank;
  }
  return best;
}

}  // namespace packetwarp::rules_match
