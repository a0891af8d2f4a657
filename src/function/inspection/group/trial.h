// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/inspection/group/marked_rules.h"
#include "function/inspection/group/rule_texts.h"
#include "function/inspection/group/shared_budget.h"
#include "function/inspection/group/window_starts.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "inspect/compiled/prefilter.h"
#include "inspect/language/regex.h"
#include "inspect/match/anchor.h"
#include "inspect/match/chain.h"
#include "inspect/match/groups.h"
#include "inspect/match/header.h"
#include "regex/match.h"

namespace packetwarp::inspection_parts {

// The counts of one lane.
struct trial_counts {
  std::uint32_t candidates;
  std::uint32_t out_of_steps;
  std::uint32_t out_of_bytes;
  std::uint32_t unjudged_regexes;
  lane_work work;
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

  // For shared_budget.
  [[nodiscard]] HOST_DEVICE std::uint32_t* spent() const {
    if (room.joined_in == joined_rooms_ref::none) return nullptr;
    return &tables.joined.rooms[room.joined_in].spent[number];
  }
  // The flow's bits; null without a flow.
  [[nodiscard]] HOST_DEVICE std::uint64_t* bits() const {
    if ((note.flags & note_flag::has_flow) == 0) return nullptr;
    return set.bits + std::size_t{note.flow_place} * set.bit_words;
  }
};

namespace detail {

// first: the number of the round's first rule among those that a packet alone may match, which the marks are of.
HOST_DEVICE inline void mark_literals(auto const& group, trial& of, window_starts const& starts, std::uint32_t first) {
  auto const* const numbers = of.set.rules.template at<std::uint32_t>(of.set.rules.header().alone_numbers);
  starts.search(group, of.room.starts, of.set.rules, [&](std::uint32_t place) {
    auto const number = numbers[place];
    auto const n = number - first;
    if (number >= first && n < rule_marks::rules && of.room.marks.add(group, n)) ++of.counted.candidates;
  });
}

// Rules without a literal are tried on every packet whose header they may match.
HOST_DEVICE inline void mark_group(auto const& group, trial& of, inspect::group_rows const& rows, std::uint32_t first) {
  auto const* const numbers = of.set.rules.template at<std::uint32_t>(of.set.rules.header().groups.alone);
  inspect::share_rows(group, of.set.rules, rows, [&](std::uint32_t bit) {
    auto const number = numbers[bit];
    auto const n = number - first;
    if (number >= first && n < rule_marks::rules) (void)of.room.marks.add(group, n);
  });
}

// The engine of expressions; null: there is none, as on a GPU.
[[nodiscard]] HOST_DEVICE inline inspect::regex_library* engine_of([[maybe_unused]] trial const& of) {
#if defined(__CUDA_ARCH__)
  return nullptr;
#else
  return of.tables.host->regexes[of.room.set];
#endif
}

// The rules that look at messages of HTTP like this one and have no literal. Calls on one of the lanes with the number
// of each.
template <class Call>
HOST_DEVICE void for_unfiltered_http(auto const& group, inspect::ruleset_ref rules, inspect::http_message const& of,
                                     Call&& call) {
  auto const& list = inspect::unfiltered_for(rules.header(), of.kind);
  auto const* const places = rules.at<std::uint32_t>(list);
  auto const* const numbers = rules.at<std::uint32_t>(rules.header().alone_numbers);
  for (auto i = group.lane(); i < list.count; i += group.lanes()) {
    if (numbers[places[i]] != inspect::not_alone) call(numbers[places[i]]);
  }
}

// A match of an expression.
struct found_match {
  bool is_found;
  std::uint32_t end;  // the place at which it is known, or regex::given_up
};

// Looks for a match of the expression. An automaton does not see the bytes before the text, as `^` and `\b` would. Not
// inlined: the code is long, and few rules come to their expression.
[[nodiscard, gnu::noinline]] HOST_DEVICE inline found_match find_match(regex::automaton_ref automaton,
                                                                       std::byte const* text, std::uint32_t size,
                                                                       inspect::clock_end bound) {
  std::uint32_t end = 0;
  bool const is_found = regex::matches(automaton, text, size, end, bound);
  return {is_found, end};
}

// Whether the automaton's expression matches from `begin` on; sets `end` to where that is known, or to
// inspect::regex_ended.
[[nodiscard]] HOST_DEVICE inline bool has_expression(regex::automaton_ref automaton, std::byte const* text,
                                                     std::uint32_t size, std::uint32_t begin, std::uint32_t& end,
                                                     inspect::search_budget& budget) {
  if (!budget.take_steps(std::uint64_t{size - begin} * regex::steps_of_byte(automaton))) return false;
  auto const found = find_match(automaton, text + begin, size - begin, budget.end());
  end = found.is_found ? begin + found.end : found.end == regex::given_up ? inspect::regex_ended : 0;
  return found.is_found;
}

// Whether the text matches the rule's checks, or may match: up to an expression that this executor does not decide on,
// if the CPU decides later.
[[nodiscard]] HOST_DEVICE inline text_match match_text(trial& of, inspect::compiled_rule const& rule,
                                                       checked_text const& text) {
  bool is_open = false;
  auto const result = inspect::matches_chain(
      of.set.rules, text.checks, text.bytes, text.size,
      [&]([[maybe_unused]] std::uint32_t number, [[maybe_unused]] std::byte const* begin_of_text,
          [[maybe_unused]] std::uint32_t length, [[maybe_unused]] std::uint32_t& begin,
          [[maybe_unused]] std::uint32_t& end) {
#if !defined(__CUDA_ARCH__)
        if (auto* const engine = engine_of(of); engine != nullptr) {
          return engine->match(number, begin_of_text, length, begin, end);
        }
#endif
        if (auto const place = of.set.rules.automaton_place(number); place != inspect::no_automaton)
          return has_expression(of.set.rules.automaton_at(place), begin_of_text, length, begin, end, of.budget);
        is_open = true;
        return false;
      },
      of.budget, text.carried);
  if (is_open) {
    bool const is_decided_later = static_cast<inspect::late_use>(rule.late) == inspect::late_use::by_cpu;
    if (!is_decided_later) ++of.counted.unjudged_regexes;
    return is_decided_later ? text_match::open : text_match::no;
  }
  if (result == inspect::chain_result::out_of_steps) ++of.counted.out_of_steps;
  if (result == inspect::chain_result::out_of_bytes) ++of.counted.out_of_bytes;
  return result == inspect::chain_result::match ? text_match::yes : text_match::no;
}

// All of the rule but its header, and flowbits and thresholds, which follow from the packets before; or all that this
// executor decides on.
[[nodiscard]] HOST_DEVICE inline bool matches_texts(trial& of, inspect::compiled_rule const& rule) {
  // The code of a chain is long, and is there once.
  auto n = first_text(rule, of.packet);
  NOT_UNROLLED
  while (n < text_number::buffers + rule.buffers.count) {
    n = next_text(rule, of.packet, n, match_text(of, rule, text_of(of.set.rules, of.packet, rule, n)));
  }
  return n != text_number::none;
}

[[nodiscard]] HOST_DEVICE inline bool matches(trial& of, inspect::compiled_rule const& rule,
                                              inspect::group_rows const& rows) {
  return inspect::matches_header(of.set.rules, rule, of.packet, rows) &&
         inspect::may_match_at_anchor(rule, of.packet) && matches_texts(of, rule);
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

// Takes back the marks of rules that do not match. Each lane tries one rule at a time, whichever words their marks are
// in. False: there was no mark.
[[nodiscard]] HOST_DEVICE inline bool keep_matching(auto const& group, trial& of, inspect::group_rows const& rows,
                                                    std::uint32_t first) {
  marked_rules marked{of.room.marks};
  auto* const spent = of.spent();
  auto* const by_lane = group.lanes() == 1 ? nullptr : &of.counted.work;
  auto const whole = of.budget;
  for (bool has_marks = false;; has_marks = true) {
    auto const n = marked.take(group);
    // All lanes have read the marks that are taken back from here on.
    group.sync();
    if (spent != nullptr) of.budget = whole;
    if (marked.have_ended()) return has_marks;
    if (n == marked_rules::none) continue;
    shared_budget const shared{spent, by_lane, of.budget};
    if (!matches(of, of.set.rules.rule_alone(first + n), rows)) of.room.marks.take_back(group, n);
  }
}

HOST_DEVICE inline void clear_marks(auto const& group, rule_marks& marks) {
  for_marked_words(marks, group.lane(), group.lanes(), [](std::uint32_t, std::uint32_t& word) { word = 0; });
  group.sync();
  for (auto part = group.lane(); part < rule_marks::words / 32; part += group.lanes()) marks.used[part] = 0;
  group.sync();
}

}  // namespace detail

}  // namespace packetwarp::inspection_parts
