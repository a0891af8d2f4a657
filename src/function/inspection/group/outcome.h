// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/group/ended.h"
#include "function/inspection/group/keep_packets.h"
#include "function/inspection/group/leave_to_cpu.h"
#include "function/inspection/group/trial.h"
#include "inspect/packet/flow_marks.h"
#include "inspect/packet/flowbits.h"

namespace packetwarp::inspection_parts {

namespace detail {

// bytes: several counts, the one for this counter lowest.
HOST_DEVICE inline void add_byte(std::uint64_t& counter, std::uint32_t bytes) {
  if ((bytes & 0xff) != 0) add(counter, std::uint64_t{bytes & 0xff});
}

HOST_DEVICE inline void count_packet(inspection_ref const& tables, packet_note const& note, bool is_cut) {
  auto& counts = *tables.counts;
  if ((note.flags & note_flag::fragment) != 0) add(counts.fragments, std::uint64_t{1});
  if (is_cut) add(counts.cut_short, std::uint64_t{1});
}

// The least of the answers of a rule's thresholds to a match.
[[nodiscard]] HOST_DEVICE inline rate_answer answer_of_rates(trial const& of, inspect::compiled_rule const& rule) {
  constexpr unsigned clocks_per_sixteenth = 4;
  auto const& rules = of.set.rules;
  auto const* rates = rules.at<inspect::compiled_rate>(rules.header().rates);
  auto least = rate_answer::alert;
  for (std::uint32_t i = 0; i < rule.rates.count; ++i) {
    auto const place = rule.rates.offset + i;
    // Another set's rates have other places.
    auto const key = key_of(rates[place], place * 2 + of.room.set, of.packet, of.note.flow, of.tables.key);
    rate_clock const clock{.now = static_cast<std::uint32_t>(of.tables.root->now() / clocks_per_sixteenth),
                           .longest = rules.header().longest_rate};
    bool has_place = true;
    auto const answer = count_match(of.tables.rates, rates[place], key, clock, has_place);
    if (!has_place) add(of.tables.counts->rates_without_place, std::uint64_t{1});
    if (answer < least) least = answer;
  }
  return least;
}

// On the CPU: keeps the packet for its alert, if this is wanted.
void keep_packet_on_host(trial const& of, std::uint64_t ticket);

// The packet comes first: the master looks for it when it reads the alert.
HOST_DEVICE inline void record(trial const& of, inspect::compiled_rule const& rule, fate said) {
  auto const& journal = of.tables.journal;
  auto const ticket = journal.claim();
  if (ticket == 0) return;
  journal.claimed(ticket) = alert_by(of, rule, said);
#if !defined(__CUDA_ARCH__)
  keep_packet_on_host(of, ticket);
#endif
  if (!holds_alert(of.tables, of.room, of.number, ticket)) journal.publish(ticket);
}

[[nodiscard]] HOST_DEVICE inline fate fate_by(trial const& of, inspect::compiled_rule const& rule) {
  if (of.set.verdicts == inspection_verdicts::alert_only) return fate::goes_on;
  switch (static_cast<inspect::rule_action>(rule.action)) {
    case inspect::rule_action::drop:
      return fate::dropped;
    case inspect::rule_action::reject:
      return fate::rejected;
    default:
      return fate::goes_on;
  }
}

// A rule has matched. Returns the packet's fate by this rule.
[[nodiscard]] HOST_DEVICE inline fate carry_out(trial const& of, inspect::compiled_rule const& rule) {
  if (!inspect::alerts_in_scope(of.set.rules, rule, of.packet, of.bits())) return fate_by(of, rule);
  auto const answer = answer_of_rates(of, rule);
  if (answer == rate_answer::nothing) return fate::goes_on;
  auto const said = fate_by(of, rule);
  if (answer == rate_answer::alert && rule.is_silent == 0) {
    add(of.set.counts[rule.number].alerts, std::uint64_t{1});
    add(of.tables.counts->alerts, std::uint64_t{1});
    record(of, rule, said);
  }
  return said;
}

// A rule that has matched bypasses the packet's flow: its later packets, also those of the group, are not judged. A
// flow that a later packet of the group has begun is another one, and a packet that does not go on bypasses nothing.
HOST_DEVICE inline void bypass_by(trial const& of, inspect::compiled_rule const& rule, fate so_far) {
  auto const& note = of.note;
  constexpr auto needed = note_flag::has_flow;
  if (rule.bypasses == 0 || so_far != fate::goes_on || (note.flags & (needed | note_flag::bypassed)) != needed) return;
  bool has_ended = false;
  auto* const notes = of.room.packets;
  auto const own = of.number;
  for (auto n = own; n < of.room.count && !has_ended; ++n) {
    if (notes[n].flow != note.flow) continue;
    has_ended = n != own && (notes[n].flags & note_flag::begins_flow) != 0;
    if (!has_ended && (n == own || !begins_handshake(notes[n]))) notes[n].flags |= note_flag::bypassed;
  }
  if (has_ended || bypass(of.tables.flows, note.flow_place, note.flow)) {
    add(of.tables.counts->flows_bypassed, std::uint64_t{1});
  }
}

// A rule for streams that has decided on a packet of a stream decides on the rest of its connection, too, and a rule
// that counts flows on the rest of the flow: the later packets of both directions, also those of the group.
HOST_DEVICE inline void end_by(trial const& of, inspect::compiled_rule const& rule, fate said) {
  auto const& note = of.note;
  bool const is_of_stream = (note.flags & note_flag::has_text) != 0 && follows_from_stream(rule);
  bool const is_of_flow = (note.flags & note_flag::has_flow) != 0 && decides_on_flows(rule);
  if (!is_of_stream && !is_of_flow) return;
  auto const ended = static_cast<std::uint32_t>(said);
  auto* const notes = of.room.packets;
  bool is_over = false;
  for (auto n = of.number + 1; n < of.room.count && !is_over; ++n) {
    if (notes[n].flow != note.flow) continue;
    is_over = (notes[n].flags & note_flag::begins_flow) != 0;
    if (!is_over) note_ended(ended, notes[n]);
  }
  if (!is_over) end_connection(of.tables.flows, note.flow_place, note.flow, ended);
}

// A rule that matches except for flowbits. True: no other rule is asked. The fate of a packet is the first rule's that
// decides; the others still alert.
[[nodiscard]] HOST_DEVICE inline bool ends_by(trial const& of, inspect::compiled_rule const& rule, fate& so_far) {
  auto* const bits = of.bits();
  if (!inspect::has_bits(of.set.rules, rule, bits)) return false;
  if (is_decided_later(of, rule)) {
    leave_to_cpu(of, rule);
    return false;
  }
  add(of.set.counts[rule.number].matches, std::uint64_t{1});
  inspect::change_bits(of.set.rules, rule, bits);
  bool const passes = static_cast<inspect::rule_action>(rule.action) == inspect::rule_action::pass;
  if (passes) {
    add(of.tables.counts->passed, std::uint64_t{1});
    inspect::note_pass(of.set.rules, rule, of.packet, bits);
  } else {
    auto const said = carry_out(of, rule);
    if (so_far == fate::goes_on && said != fate::goes_on) {
      so_far = said;
      end_by(of, rule, said);
    }
  }
  bypass_by(of, rule, so_far);
  return passes;
}

}  // namespace detail

// Goes through the marked rules, which match except for flowbits, in their order. By one lane. first: the number of the
// round's first rule.
HOST_DEVICE inline void conclude(trial const& of, std::uint32_t first, fate& so_far) {
  auto& marks = of.room.marks;
  for (std::uint32_t part = 0; part < rule_marks::words / 32; ++part) {
    for (auto words = marks.used[part]; words != 0; words &= words - 1) {
      auto const n = part * 32 + lowest_bit(words);
      for (auto left = marks.marked[n]; left != 0; left &= left - 1) {
        if (detail::ends_by(of, of.set.rules.rule_alone(first + n * 32 + lowest_bit(left)), so_far)) {
          of.room.is_ended = 1;
          return;
        }
      }
    }
  }
}

}  // namespace packetwarp::inspection_parts
