// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/window_starts.h"
#include "inspect/compiled/prefilter.h"
#include "inspect/language/regex.h"
#include "inspect/match/chain.h"
#include "inspect/match/groups.h"
#include "inspect/match/header.h"

namespace packetwarp::inspection_parts {

// The counts of one lane.
struct trial_counts {
  std::uint32_t candidates;
  std::uint32_t out_of_steps;
  std::uint32_t out_of_bytes;
  std::uint32_t unjudged_regexes;
};

// A packet of a group before the rules that the group is judged by. All lanes have the same, except the counts.
struct trial {
  inspection_ref const& tables;
  inspection_set const& set;
  inspection_room& room;
  packet_note const& note;
  inspect::inspected_packet packet;
  trial_counts counted;
  inspect::search_budget budget;  // of the lane: a packet's rules are shared out to lanes by their places
  std::uint32_t number;           // of the packet in the room

  // The flow's bits; null without a flow.
  [[nodiscard]] HOST_DEVICE std::uint64_t* bits() const {
    if ((note.flags & note_flag::has_flow) == 0) return nullptr;
    return set.bits + std::size_t{note.flow_place} * set.bit_words;
  }
};

namespace detail {

// first: the place of the round's first rule.
HOST_DEVICE inline void mark_literals(auto const& group, trial& of, window_starts const& starts, std::uint32_t first) {
  // Rules that look at HTTP are not judged by packets alone.
  auto const classes = inspect::packet_class(of.packet.kind, inspect::way_of(of.packet), inspect::http_chance::none);
  starts.search(group, of.set.rules, classes, [&](std::uint32_t place) {
    auto const n = place - first;
    if (place >= first && n < rule_marks::rules && of.room.marks.add(group, n)) ++of.counted.candidates;
  });
}

// The rows of the packet's group of rules. A warp counts the intervals up to a number: a search among them would wait
// for one load after the other.
[[nodiscard]] HOST_DEVICE inline inspect::group_rows rows_of(auto const& group, trial const& of) {
  auto const rules = of.set.rules;
  if (rules.header().groups.words == 0) return {};
  return inspect::rows_of(rules, of.packet, [&](std::uint32_t axis, std::uint32_t number) {
    if (group.lanes() == 1) return inspect::detail::row_of(rules, axis, number);
    auto const& intervals = rules.header().groups.axes[axis].begins;
    auto const* const begins = rules.template at<std::uint32_t>(intervals);
    std::uint32_t begun = 0;
    for (auto i = group.lane(); i < intervals.count; i += group.lanes()) begun += begins[i] <= number ? 1 : 0;
    return inspect::detail::row_of_interval(rules, axis, group.sum(begun) - 1);
  });
}

// Rules without a literal are tried on every packet whose header they may match.
HOST_DEVICE inline void mark_group(auto const& group, trial& of, inspect::group_rows const& rows, std::uint32_t first) {
  inspect::for_each_in_rows(of.set.rules, rows, group.lane(), group.lanes(), [&](std::uint32_t place) {
    auto const n = place - first;
    if (place >= first && n < rule_marks::rules) (void)of.room.marks.add(group, n);
  });
}

// Whether the bytes match a rule's checks; an expression that this executor has no engine for is counted, and the rule
// does not match.
[[nodiscard]] HOST_DEVICE inline bool has_matches(trial& of, inspect::section const& chain, std::byte const* bytes,
                                                  std::uint32_t size) {
  bool is_unjudged = false;
  auto const result = inspect::matches_chain(
      of.set.rules, chain, bytes, size,
      [&]([[maybe_unused]] std::uint32_t number, [[maybe_unused]] std::byte const* text,
          [[maybe_unused]] std::uint32_t length, [[maybe_unused]] std::uint32_t& begin,
          [[maybe_unused]] std::uint32_t& end) {
#if defined(__CUDA_ARCH__)
        is_unjudged = true;
        return false;
#else
        return of.tables.host->regexes[of.room.set]->match(number, text, length, begin, end);
#endif
      },
      of.budget);
  if (is_unjudged) {
    ++of.counted.unjudged_regexes;
    return false;
  }
  if (result == inspect::chain_result::out_of_steps) ++of.counted.out_of_steps;
  if (result == inspect::chain_result::out_of_bytes) ++of.counted.out_of_bytes;
  return result == inspect::chain_result::match;
}

// All of the rule but flowbits and thresholds, which follow from the packets before.
[[nodiscard]] HOST_DEVICE inline bool matches(trial& of, inspect::compiled_rule const& rule) {
  auto const& packet = of.packet;
  if (static_cast<inspect::stream_use>(rule.stream) == inspect::stream_use::only_stream) return false;
  if (!inspect::matches_header(of.set.rules, rule, packet)) return false;
  auto const name_size = packet.dotted_name_size == 0 ? 0 : packet.dotted_name_size - 1;
  return has_matches(of, rule.checks, packet.payload, packet.payload_size) &&
         has_matches(of, rule.name_checks, packet.dotted_name + (name_size == 0 ? 0 : 1), name_size) &&
         has_matches(of, rule.dotted_checks, packet.dotted_name, packet.dotted_name_size);
}

// Calls with each word that has marks, as far as the word is this lane's.
template <class Call>
HOST_DEVICE void for_marked_words(rule_marks& marks, std::uint32_t lane, std::uint32_t lanes, Call&& call) {
  for (std::uint32_t part = 0; part < rule_marks::words / 32; ++part) {
    for (auto left = marks.used[part]; left != 0; left &= left - 1) {
      auto const n = part * 32 + lowest_bit(left);
      if (n % lanes == lane) call(n, marks.marked[n]);
    }
  }
}

// Takes back the marks of rules that do not match.
HOST_DEVICE inline void keep_matching(auto const& group, trial& of, std::uint32_t first) {
  for_marked_words(of.room.marks, group.lane(), group.lanes(), [&](std::uint32_t n, std::uint32_t& word) {
    auto kept = word;
    for (auto left = word; left != 0; left &= left - 1) {
      auto const bit = lowest_bit(left);
      if (!matches(of, of.set.rules.rule(first + n * 32 + bit))) kept &= ~(1U << bit);
    }
    word = kept;
  });
}

HOST_DEVICE inline void clear_marks(auto const& group, rule_marks& marks) {
  for_marked_words(marks, group.lane(), group.lanes(), [](std::uint32_t, std::uint32_t& word) { word = 0; });
  group.sync();
  for (auto part = group.lane(); part < rule_marks::words / 32; part += group.lanes()) marks.used[part] = 0;
  group.sync();
}

}  // namespace detail

}  // namespace packetwarp::inspection_parts
