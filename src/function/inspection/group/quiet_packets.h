// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/inspection/group/group_facts.h"
#include "function/inspection/group/group_rules.h"
#include "function/inspection/group/window_starts.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "inspect/compiled/prefilter.h"

// Packets of a group that no rule can match: no rule without a literal has their header, and they have no payload, or a
// short one without a window of a rule. Lanes find out, a packet per lane, and a group of such packets is not searched
// together, which costs much also for a few bytes.
namespace packetwarp::inspection_parts {

namespace detail {

// A bit for each position of a short text at which a window of a rule for packets of the class may begin, by its first
// four bytes.
[[nodiscard]] HOST_DEVICE inline std::uint32_t passing_starts(inspect::ruleset_ref rules, std::uint32_t classes,
                                                              std::byte const* text, std::uint32_t size) {
  static_assert(short_payload <= 32);
  constexpr auto shortest = inspect::window_bytes(inspect::window_kinds - 1);
  if (size < shortest) return 0;
  // A GPU waits for the text once, and once for the filter, for this number of positions.
  constexpr std::uint32_t at_once = 16;
  constexpr std::uint32_t word_bytes = sizeof(std::uint32_t);
  auto const* const filter = inspect::first_filter_for(rules, classes);
  auto const positions = size - shortest + 1;
  std::uint32_t passing = 0;
  NOT_UNROLLED
  for (std::uint32_t at = 0; at < positions; at += at_once) {
    std::uint32_t words[at_once / word_bytes + 1];
    inspect::load_words(text + at, size - at, words);
    UNROLLED
    for (std::uint32_t n = 0; n < at_once; ++n) {
      auto const two = std::uint64_t{words[n / word_bytes + 1]} << 32 | words[n / word_bytes];
      bool const passes = inspect::may_begin_window(filter, static_cast<std::uint32_t>(two >> (8 * (n % word_bytes))));
      passing |= std::uint32_t{passes} << (at + n);
    }
  }
  return passing & ((std::uint32_t{1} << positions) - 1);
}

// Whether a rule for packets of the class has a window at one of these positions of the text. Not inlined: the code is
// there in other places, too, and few packets come here.
[[nodiscard, gnu::noinline]] HOST_DEVICE inline bool has_window(inspect::ruleset_ref rules, std::uint32_t classes,
                                                                std::byte const* text, std::uint32_t size,
                                                                std::uint32_t starts) {
  bool has_one = false;
  for (; starts != 0 && !has_one; starts &= starts - 1) {
    look_at_window(rules, text, size, lowest_bit(starts), classes, [&has_one](std::uint32_t) { has_one = true; });
  }
  return has_one;
}

[[nodiscard]] HOST_DEVICE inline bool is_quiet(inspection_set const& set, inspection_room const& room,
                                               group_facts const& facts, unsigned n) {
  auto const bit = 1U << n;
  auto const& found = room.grouped;
  if (((facts.alone | facts.heads | facts.names | found.have_some | found.have_more) & bit) != 0) return false;
  if ((facts.texts & bit) == 0) return true;
  auto const& note = room.packets[n];
  if ((note.flags & note_flag::has_text) != 0 || note.first_size > short_payload) return false;
  auto const classes = class_in_group(note, facts.heads, n);
  auto const passing = passing_starts(set.rules, classes, note.first, note.first_size);
  return passing == 0 || !has_window(set.rules, classes, note.first, note.first_size, passing);
}

}  // namespace detail

// By all lanes, after find_group_rules(): a bit for each packet that no rule can match; all lanes have the same word.
[[nodiscard]] HOST_DEVICE std::uint32_t quiet_packets(auto const& group, inspection_set const& set,
                                                      inspection_room const& room, group_facts const& facts) {
  std::uint32_t own = 0;
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
    if (detail::is_quiet(set, room, facts, n)) own |= 1U << n;
  }
  return group.sum(own);
}

}  // namespace packetwarp::inspection_parts
