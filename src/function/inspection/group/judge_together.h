// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/group/asked_names.h"
#include "function/inspection/group/carry_streams.h"
#include "function/inspection/group/ended.h"
#include "function/inspection/group/group_rules.h"
#include "function/inspection/group/outcome.h"
#include "function/inspection/group/read_heads.h"
#include "function/inspection/group/rule_pairs.h"
#include "function/inspection/group/trial.h"
#include "function/network/unroll.h"
#include "inspect/packet/flowbits.h"

namespace packetwarp::inspection_parts {

// Judges packets of a group in two steps. The payloads are searched for windows one after the other, each by all lanes.
// The rules that have them, and rules of headers, are then tried for several packets side by side: a packet has few
// such rules, so a warp with a packet at a time has work for few of its lanes, and reads all instructions again for the
// next one.
template <class Group>
class joint_judge {
 public:
  HOST_DEVICE joint_judge(Group const& group, inspection_ref const& tables, inspection_set const& set,
                          inspection_room& room, trial_counts& counted)
      : group_{group}, tables_{tables}, set_{set}, room_{room}, counted_{counted}, pairs_{room} {}

  // Judges packets from `begin` on, and returns the first one that it has not judged. If that is `begin`, it has to be
  // judged alone.
  [[nodiscard]] HOST_DEVICE_COPIED unsigned judge_from(unsigned begin) {
    pairs_.begin(group_);
    unsigned without_room = joint_packets;
    auto end = begin;
    for (; end < group_.packets() && pairs_.kept() < rule_pairs::most / 2; ++end) {
      if (end + 1 < group_.packets()) fetch_ahead(group_, room_.packets[end + 1]);
      auto const& note = room_.packets[end];
      if (note.ip_version == 0 || is_left_out(set_, note)) continue;
      if (has_to_be_alone(note)) break;
      find_rules(end);
      without_room = pairs_.without_room(group_);
      if (without_room != joint_packets) break;
      if (pairs_.unseen() >= most_unseen) try_pairs(end + 1);
    }
    if (without_room < end) end = without_room;
    (void)pairs_.without_room(group_);
    try_pairs(end);
    if (group_.lane() == 0) conclude(begin, end);
    group_.sync();
    count_packets(begin, end);
    pairs_.clear(group_);
    return end;
  }

 private:
  // A warp tries so many pairs two times over, and there is room for as many of the next packet.
  static constexpr std::uint32_t most_unseen = 64;

  [[nodiscard]] HOST_DEVICE bool has_to_be_alone(packet_note const& note) const {
    return note.second_size != 0 || note.first_size > inspection_room::payload_bytes ||
           set_.rules.header().alone.count > 1U << rule_pair::rule_bits;
  }

  // By all lanes: the rules that the packet's header matches, and rules that have a window in its payload.
  HOST_DEVICE void find_rules(unsigned n) {
    if ((room_.grouped.have_more >> n & 1) != 0) {
      find_group(n);
    } else {
      for_noted_rules(group_, room_.grouped, n,
                      [&](std::uint32_t rule) { pairs_.add(rule_pair::make(n, rule) | rule_pair::of_header); });
    }
    auto const& note = room_.packets[n];
    if (note.first_size == 0) return;
    bool is_cut = false;
    auto const text = whole_payload(group_, note, room_, is_cut);
    if (begins_tls_record(text.data, text.size)) tls_ |= 1U << n;
    auto packet = packet_of(note, text.data, text.size);
    show_stream(tables_, note, packet);
    packet.http = message_of(tables_, room_, n);
    find_literals(n, class_alone(packet), searched_text(packet));
    asked_names name;
    if (set_.name_rules != 0 && name.read(packet)) cut_ |= 1U << n;
    if (packet.dotted_name_size != 0) asks_ |= 1U << n;
    if (has_other_text(packet)) find_other_rules(n, packet);
  }

  // By all lanes: the rules that have a literal in the text.
  HOST_DEVICE_COPIED void find_literals(unsigned n, std::uint32_t classes, inspect::text_view text) {
    window_starts const starts{group_, set_.rules, classes, text.bytes, text.size};
    auto const* const numbers = set_.rules.template at<std::uint32_t>(set_.rules.header().alone_numbers);
    starts.search(group_, room_.starts, set_.rules, [&](std::uint32_t place) {
      if (numbers[place] != inspect::not_alone) pairs_.add(rule_pair::make(n, numbers[place]));
    });
  }

  // By all lanes: the rules that have a literal in another text, and rules of heads without one.
  HOST_DEVICE_COPIED void find_other_rules(unsigned n, inspect::inspected_packet const& packet) {
    NOT_UNROLLED
    for (std::uint32_t i = 0; i < other_texts; ++i) {
      auto const text = other_text(packet, i);
      if (text.size != 0) find_literals(n, class_alone(packet), text);
    }
    if (packet.http == nullptr) return;
    detail::for_unfiltered_http(group_, set_.rules, *packet.http, [&](std::uint32_t rule) {
      pairs_.add(rule_pair::make(n, rule) | rule_pair::of_header);
    });
  }

  // By all lanes: the rules of the packet's header groups, more than a group has room for.
  HOST_DEVICE void find_group(unsigned n) {
    auto const rows = detail::noted_rows(set_.rules, room_, n, packet_of(room_.packets[n], nullptr, 0));
    auto const* const numbers = set_.rules.template at<std::uint32_t>(set_.rules.header().groups.alone);
    inspect::for_each_in_rows(set_.rules, rows, group_.lane(), group_.lanes(), [&](std::uint32_t bit) {
      if (numbers[bit] != inspect::not_alone) {
        pairs_.add(rule_pair::make(n, numbers[bit]) | rule_pair::of_header);
      }
    });
  }

  HOST_DEVICE_COPIED void try_pairs(unsigned end) {
    pairs_.keep(group_, end, [this](std::uint32_t pair) { return matches(pair); });
  }

  [[nodiscard]] HOST_DEVICE trial trial_of(unsigned n) const {
    auto const& note = room_.packets[n];
    auto packet = packet_of(note, nullptr, 0);
    packet.payload = note.first;
    packet.payload_size = note.first_size;
    packet.is_tls = packet.kind == inspect::packet_kind::tcp && (tls_ >> n & 1) != 0;
    packet.is_dns = inspect::is_dns_message(packet);
    packet.http = message_of(tables_, room_, n);
    packet.is_http = packet.http != nullptr;
    show_stream(tables_, note, packet);
    inspect::search_budget const budget{std::uint64_t{note.first_size} + packet.stream.size};
    return {tables_, set_, room_, note, packet, {}, budget, n};
  }

  // By a lane.
  [[nodiscard]] HOST_DEVICE bool matches(std::uint32_t pair) {
    auto const n = rule_pair::packet(pair);
    auto of = trial_of(n);
    bool const is_found = matches(of, set_.rules.rule_alone(rule_pair::rule(pair)));
    if ((pair & rule_pair::of_header) == 0) ++counted_.candidates;
    counted_.out_of_steps += of.counted.out_of_steps;
    counted_.out_of_bytes += of.counted.out_of_bytes;
    counted_.unjudged_regexes += of.counted.unjudged_regexes;
    return is_found;
  }

  [[nodiscard]] HOST_DEVICE bool matches(trial& of, inspect::compiled_rule const& rule) const {
    auto const rows = detail::noted_rows(set_.rules, room_, of.number, of.packet);
    bool const is_of_name = rule.name_checks.count + rule.dotted_checks.count != 0;
    // A packet without a name cannot match.
    if (is_of_name && (asks_ >> of.number & 1) == 0) return false;
    asked_names name;
    if (is_of_name) (void)name.read(of.packet);
    return detail::matches(of, rule, rows);
  }

  // By one lane: in the order of packets, and of a packet's rules, because flowbits, thresholds and bypassed flows
  // follow from those before.
  HOST_DEVICE void conclude(unsigned begin, unsigned end) {
    room_.bypassing = 0;
    auto pair = pairs_.next(0);
    for (auto n = begin; n < end; ++n) {
      auto const& note = room_.packets[n];
      auto const last = rule_pair::make(n, (1U << rule_pair::rule_bits) - 1);
      if (note.ip_version != 0 && is_ended(set_, note)) room_.fates[n] = fate_of_ended(note);
      if (note.ip_version == 0 || is_left_out(set_, note)) {
        if (pair <= last) pair = pairs_.next(last + 1);
        continue;
      }
      // Only now, because earlier packets may be of the flow before.
      if ((note.flags & note_flag::begins_flow) != 0) {
        inspect::clear_bits(set_.bits + std::size_t{note.flow_place} * set_.bit_words, set_.bit_words);
      }
      if (pair > last) continue;
      auto const of = trial_of(n);
      auto& so_far = room_.fates[n];
      while (pair <= last) {
        bool const has_ended = detail::ends_by(of, set_.rules.rule_alone(rule_pair::rule(pair)), so_far);
        pair = pairs_.next((has_ended ? last : pair) + 1);
      }
      if ((note.flags & note_flag::bypassed) != 0) room_.bypassing |= 1U << n;
    }
  }

  HOST_DEVICE void count_packets(unsigned begin, unsigned end) const {
    std::uint32_t bypassed = 0;
    std::uint32_t ended = 0;
    std::uint32_t streams = 0;
    std::uint32_t names = 0;
    for (auto n = begin + group_.lane(); n < end; n += group_.lanes()) {
      auto const& note = room_.packets[n];
      if (note.ip_version == 0) continue;
      if (is_ended(set_, note)) {
        ++ended;
        continue;
      }
      if ((note.flags & note_flag::bypassed) != 0 && (room_.bypassing >> n & 1) == 0) {
        ++bypassed;
        continue;
      }
      detail::count_packet(tables_, note, note.first_size < note.payload_length);
      if (lacks_stream(set_, note)) ++streams;
      if ((cut_ >> n & 1) != 0) ++names;
    }
    auto& counts = *tables_.counts;
    add_sum(counts.bypassed, bypassed);
    add_sum(counts.of_ended_connections, ended);
    add_sum(counts.unjudged_streams, streams);
    add_sum(counts.unjudged_names, names);
  }
  HOST_DEVICE void add_sum(std::uint64_t& to, std::uint32_t of_lane) const {
    auto const all = group_.sum(of_lane);
    if (all != 0 && group_.lane() == 0) add(to, std::uint64_t{all});
  }

  Group const& group_;
  inspection_ref const& tables_;
  inspection_set const& set_;
  inspection_room& room_;
  trial_counts& counted_;
  rule_pairs pairs_;
  std::uint32_t tls_{};   // bits of packets that begin a record of TLS
  std::uint32_t asks_{};  // bits of packets that ask for a name
  std::uint32_t cut_{};   // bits of packets that end within a message before its name
};

}  // namespace packetwarp::inspection_parts
