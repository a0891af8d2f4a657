// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "feature/packet_keys.h"
#include "function/inspection/group/asked_names.h"
#include "function/inspection/group/carry_streams.h"
#include "function/inspection/group/follow_group.h"
#include "function/inspection/group/group_rules.h"
#include "function/inspection/group/judge_together.h"
#include "function/inspection/group/outcome.h"
#include "function/inspection/group/read_heads.h"
#include "function/inspection/group/take_joined.h"
#include "function/inspection/group/trial.h"
#include "function/told_facts.h"
#include "inspect/packet/flowbits.h"
#include "wire/ipv6_extension.h"

namespace packetwarp::inspection_parts {

// On the CPU, where the pipeline puts fragments together (host_inspection.h): the facts of the n-th packet, a fragment,
// or of the datagram that it completes, of which its note is then.
[[nodiscard]] feature::packet_facts put_together_on_host(packet_view view, unsigned n,
                                                         feature::packet_facts const& of_fragment,
                                                         inspection_ref const& tables, inspection_room& room);

// On the CPU, with streams: whether a receiver drops the packet for its checksums, and these are verified. Counts it.
[[nodiscard]] bool has_wrong_checksums(packet_view view, inspection_ref const& tables);

// Notes the packet's facts, except its flow's state. A packet with wrong checksums is of no flow.
HOST_DEVICE void gather(packet_view view, unsigned n, inspection_ref const& tables, inspection_room& room,
                        tells_facts auto const& tell) {
  auto& note = room.packets[n];
  tcp_numbers numbers{};
  auto facts = note_packet(view, note, numbers, tell);
  room.numbers[n] = numbers;
  note_gathered(view, n, tables, room);
#if !defined(__CUDA_ARCH__)
  tables.host->numbers[n] = numbers;
  tables.host->views[n] = view;
  if (facts.is_fragment != 0) facts = put_together_on_host(view, n, facts, tables, room);
#endif
  room.fates[n] = fate::goes_on;
  bool const is_answer_of_another = facts.role == feature::icmp_role::error;
  // A fragment has no ports, so no flow is its own.
  if (facts.ip_version == 0 || facts.is_fragment != 0 || is_answer_of_another) return;
#if !defined(__CUDA_ARCH__)
  if (has_wrong_checksums(view, tables)) return;
#endif
  auto const keys = feature::keys_of(facts, tables.key);
  note.flow = keys.flow;
  if (keys.direction != 0) note.flags |= note_flag::backward;
}

namespace detail {

HOST_DEVICE inline void count_trials(auto const& group, inspection_ref const& tables, trial_counts const& of_lane) {
  auto const any = of_lane.candidates | of_lane.out_of_steps | of_lane.out_of_bytes | of_lane.unjudged_regexes;
  if (group.sum(any != 0 ? 1 : 0) == 0) return;
  auto& counts = *tables.counts;
  auto const candidates = group.sum(of_lane.candidates);
  auto const out_of_steps = group.sum(of_lane.out_of_steps);
  auto const out_of_bytes = group.sum(of_lane.out_of_bytes);
  auto const unjudged = group.sum(of_lane.unjudged_regexes);
  if (group.lane() != 0) return;
  if (candidates != 0) add(counts.candidates, std::uint64_t{candidates});
  if (out_of_steps != 0) add(counts.out_of_steps, std::uint64_t{out_of_steps});
  if (out_of_bytes != 0) add(counts.out_of_bytes, std::uint64_t{out_of_bytes});
  if (unjudged != 0) add(counts.unjudged_regexes, std::uint64_t{unjudged});
}

// Expressions that ended at their bound so far.
[[nodiscard]] HOST_DEVICE inline std::uint64_t regexes_out_of_bound([[maybe_unused]] trial const& of) {
#if defined(__CUDA_ARCH__)
  return 0;
#else
  auto const* const engine = engine_of(of);
  return engine == nullptr ? 0 : engine->out_of_bound();
#endif
}

// With the packet's stream. On the CPU, where the pipeline follows streams (host_inspection.h).
void judge_on_host(inspection_ref const& tables, inspection_set const& set, inspection_room& room, unsigned n);

// On the CPU, where one lane judges each packet alone (host_windows.h): finds the rules with a literal in the payload;
// marks them; finds and marks the rules of another text.
void find_on_host(trial const& of, inspect::text_view payload);
void mark_payload_on_host(trial& of, std::uint32_t first);
void mark_text_on_host(trial& of, inspect::text_view text, std::uint32_t first);
[[nodiscard]] HOST_DEVICE inline bool searches_on_host([[maybe_unused]] auto const& group,
                                                       [[maybe_unused]] trial const& of) {
#if defined(__CUDA_ARCH__)
  return false;
#else
  return group.lanes() == 1 && of.tables.host->texts[of.room.set] != nullptr;
#endif
}

// A packet without payload whose header no rule has.
HOST_DEVICE inline void pass_quickly(inspection_ref const& tables, inspection_set const& set, packet_note const& note) {
  count_packet(tables, note, note.payload_length != 0);
  if ((note.flags & note_flag::begins_flow) == 0) return;
  inspect::clear_bits(set.bits + std::size_t{note.flow_place} * set.bit_words, set.bit_words);
}

// By all lanes: whether a packet is not judged, which is counted.
HOST_DEVICE inline bool leaves_out(auto const& group, inspection_ref const& tables, inspection_set const& set,
                                   inspection_room& room, unsigned n) {
  auto const& note = room.packets[n];
  if (!is_left_out(set, note)) return false;
  bool const has_ended = is_ended(set, note);
  if (group.lane() == 0 && has_ended) room.fates[n] = fate_of_ended(note);
  if (group.lane() == 0) {
    add(has_ended ? tables.counts->of_ended_connections : tables.counts->bypassed, std::uint64_t{1});
  }
  return true;
}

// Marks the rules of the packet's header groups.
HOST_DEVICE inline void mark_groups(auto const& group, trial& of, inspect::group_rows const& rows,
                                    std::uint32_t first) {
  auto const& found = of.room.grouped;
  if (group.lanes() == 1 || (found.have_more >> of.number & 1) != 0) return mark_group(group, of, rows, first);
  for_noted_rules(group, found, of.number, [&](std::uint32_t number) {
    auto const n = number - first;
    if (number >= first && n < rule_marks::rules) (void)of.room.marks.add(group, n);
  });
}

// Marks the rules that have a literal in another text than the payload, and rules of heads without one.
HOST_DEVICE inline void mark_other_rules(auto const& group, trial& of, std::uint32_t first) {
  NOT_UNROLLED
  for (std::uint32_t i = 0; i < other_texts; ++i) {
    auto const text = other_text(of.packet, i);
    if (text.size == 0) continue;
#if !defined(__CUDA_ARCH__)
    if (searches_on_host(group, of)) {
      mark_text_on_host(of, text, first);
      continue;
    }
#endif
    mark_literals(group, of, window_starts{group, of.set.rules, class_alone(of.packet), text.bytes, text.size}, first);
  }
  if (of.packet.http == nullptr) return;
  for_unfiltered_http(group, of.set.rules, *of.packet.http, [&](std::uint32_t number) {
    auto const n = number - first;
    if (number >= first && n < rule_marks::rules) (void)of.room.marks.add(group, n);
  });
}

// By all lanes: the rules that the packet may match.
HOST_DEVICE inline void try_rules(auto const& group, trial& of) {
  auto const& set = of.set;
  auto const rules = set.rules.header().alone.count;
  auto const rows = group.lanes() == 1 ? inspect::rows_of(set.rules, of.packet)
                                       : noted_rows(set.rules, of.room, of.number, of.packet);
  auto const text = searched_text(of.packet);
  bool const is_on_host = searches_on_host(group, of);
#if !defined(__CUDA_ARCH__)
  if (is_on_host) find_on_host(of, text);
#endif
  window_starts const in_text{group, set.rules, class_alone(of.packet), text.bytes, is_on_host ? 0 : text.size};
  for (std::uint32_t first = 0; first < rules; first += rule_marks::rules) {
    mark_groups(group, of, rows, first);
    mark_literals(group, of, in_text, first);
#if !defined(__CUDA_ARCH__)
    if (is_on_host) mark_payload_on_host(of, first);
#endif
    if (has_other_text(of.packet)) mark_other_rules(group, of, first);
    group.sync();
    if (!keep_matching(group, of, rows, first)) continue;
    group.sync();
    if (group.lane() == 0) conclude(of, first, of.room.fates[of.number]);
    group.sync();
    clear_marks(group, of.room.marks);
    if (of.room.is_ended != 0) return;
  }
}

// By all lanes: the packet alone.
HOST_DEVICE inline void judge_alone(auto const& group, inspection_ref const& tables, inspection_set const& set,
                                    inspection_room& room, unsigned n, trial_counts& counted) {
  auto const& note = room.packets[n];
  if (leaves_out(group, tables, set, room, n)) return;
  if (group.lanes() != 1 && note.first_size == 0 && has_no_rule(room.grouped, n)) {
    if (group.lane() == 0) pass_quickly(tables, set, note);
    return;
  }
  bool is_cut = false;
  auto const payload = whole_payload(group, note, room, is_cut);
  if (group.lane() == 0) {
    count_packet(tables, note, is_cut);
    if (lacks_stream(set, note)) add(tables.counts->unjudged_streams, std::uint64_t{1});
    room.is_ended = 0;
    if (room.joined_in != joined_rooms_ref::none) tables.joined.rooms[room.joined_in].spent[n] = 0;
  }
  trial of{tables,
           set,
           room,
           note,
           packet_of(note, payload.data, payload.size),
           counted,
           inspect::search_budget{payload.size},
           n};
  // Only now, because earlier packets of the group may be of the flow before.
  bool const begins_flow = (note.flags & note_flag::begins_flow) != 0;
  if (begins_flow && group.lane() == 0) inspect::clear_bits(of.bits(), set.bit_words);
  // The first lane tells: others may see what another group changes meanwhile.
  if (group.sum(group.lane() == 0 && is_passed(set, note) ? 1 : 0) != 0) return;
  show_stream(tables, note, of.packet);
  of.budget.grow(of.packet.stream.size);
  of.packet.http = message_of(tables, room, n);
  of.packet.is_http = of.packet.http != nullptr;
  asked_names name;
  bool const has_cut_name = name.read(of.packet);
  if (has_cut_name && set.name_rules != 0 && group.lane() == 0) add(tables.counts->unjudged_names, std::uint64_t{1});
  auto const regexes_before = regexes_out_of_bound(of);
  of.counted.work.share_time_of(n, group.packets());
  try_rules(group, of);
  counted = of.counted;
  if (auto const more = regexes_out_of_bound(of) - regexes_before; more != 0) {
    add(tables.counts->regexes_out_of_bound, more);
  }
  group.sync();
}

HOST_DEVICE inline void judge(auto const& group, inspection_ref const& tables, inspection_set const& set,
                              inspection_room& room, unsigned n, trial_counts& counted) {
#if !defined(__CUDA_ARCH__)
  if (tables.host->streams != nullptr) return judge_on_host(tables, set, room, n);
#endif
  judge_alone(group, tables, set, room, n, counted);
}

// Whether the walk of the packet's extension headers has ended at one of them, and so before its transport header.
[[nodiscard]] HOST_DEVICE inline bool has_unread_extensions(packet_note const& note) {
  return note.ip_version == 6 && wire::is_extension(wire::ip_protocol{note.protocol}) &&
         (note.flags & note_flag::fragment) == 0;
}

HOST_DEVICE inline void count_group(auto const& group, inspection_ref const& tables, inspection_room const& room) {
  // A byte for each count.
  constexpr std::uint32_t of_without_ip = 1;
  constexpr std::uint32_t of_dropped = 1U << 8;
  constexpr std::uint32_t of_rejected = 1U << 16;
  constexpr std::uint32_t of_unread_extensions = 1U << 24;
  static_assert(joint_packets < 1U << 8);
  std::uint32_t own = 0;
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
    if (room.packets[n].ip_version == 0) own += of_without_ip;
    if (has_unread_extensions(room.packets[n])) own += of_unread_extensions;
    if (room.fates[n] == fate::dropped) own += of_dropped;
    if (room.fates[n] == fate::rejected) own += of_rejected;
  }
  auto const all = group.sum(own);
  if (group.lane() != 0) return;
  auto& counts = *tables.counts;
  add(counts.packets, std::uint64_t{group.packets()});
  if (all == 0) return;
  add_byte(counts.without_ip, all / of_without_ip);
  add_byte(counts.dropped, all / of_dropped);
  add_byte(counts.rejected, all / of_rejected);
  add_byte(counts.unread_extensions, all / of_unread_extensions);
}

// By all lanes.
[[nodiscard]] HOST_DEVICE std::uint32_t packets_of_tcp(auto const& group, inspection_room const& room) {
  std::uint32_t own = 0;
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
    auto const& note = room.packets[n];
    if (note.ip_version != 0 && note.kind == inspect::packet_kind::tcp) own |= 1U << n;
  }
  return group.sum(own);
}

}  // namespace detail

// By all lanes: the room for packets that have gathered.
HOST_DEVICE inline void begin_room(auto const& group, inspection_ref const& tables, inspection_room& room) {
  take_joined_early(group, tables, room);
  keep_gathered(group, tables, room);
  auto const tcp = detail::packets_of_tcp(group, room);
  if (group.lane() == 0) {
    room.tcp = tcp;
    room.count = static_cast<std::uint16_t>(group.packets());
    room.starts.count = 0;
  }
  for (auto i = group.lane(); i < rule_marks::words; i += group.lanes()) room.marks.marked[i] = 0;
  for (auto i = group.lane(); i < rule_marks::words / 32; i += group.lanes()) room.marks.used[i] = 0;
}

// Before the packets of a group are judged. Between two parts a group waits for those beside it: all go through one
// part of the code at a time, which then is in a GPU's caches of instructions; with each at another part, three of four
// cycles were spent on waiting for instructions (docs/performance/inspect-notebook.md).
HOST_DEVICE inline void begin_group(auto const& group, inspection_ref const& tables, inspection_set const& set,
                                    inspection_room& room) {
  bool const has_packets = group.packets() != 0;
  group.meet();
  if (has_packets) {
    begin_room(group, tables, room);
    follow_group(group, tables, room);
  }
  group.meet();
  if (has_packets) carry_streams(group, tables, set, room);
  group.meet();
  if (has_packets) read_heads(group, tables, set, room);
  group.meet();
  if (has_packets && group.lanes() != 1) find_group_rules(group, tables, set.rules, room);
  group.meet();
}

HOST_DEVICE inline void end_group(auto const& group, inspection_ref const& tables, inspection_room& room,
                                  trial_counts const& counted) {
  publish_held(group, tables, room);
  give_back_joined(group, tables, room);
  give_back_heads(group, tables, room);
  give_back_texts(group, tables, room);
  detail::count_trials(group, tables, counted);
  detail::count_group(group, tables, room);
}

// Judges the packets together, except for packets that need more room than there is.
HOST_DEVICE_COPIED void judge_by(auto& together, auto const& group, inspection_ref const& tables,
                                 inspection_set const& set, inspection_room& room, trial_counts& counted) {
  for (unsigned n = 0; n < group.packets();) {
    auto const next = together.judge_from(n);
    if (next == n)
      detail::judge_alone(group, tables, set, room, n++, counted);
    else
      n = next;
  }
}
HOST_DEVICE_COPIED void judge_together(auto const& group, inspection_ref const& tables, inspection_set const& set,
                                       inspection_room& room, trial_counts& counted) {
  joint_judge together{group, tables, set, room, counted};
  judge_by(together, group, tables, set, room, counted);
}

// Judges the packets of a group: a single lane judges one after the other. A group without packets goes in step with
// others.
HOST_DEVICE_COPIED void judge_group(auto const& group, inspection_ref const& tables, inspection_room& room) {
  bool const has_packets = group.packets() != 0;
  auto const& set = tables.root->sets[has_packets ? room.set : 0];
  begin_group(group, tables, set, room);
  trial_counts counted{};
  counted.work = lane_work::begin();
  if (group.lanes() == 1) {
    for (unsigned n = 0; n < group.packets(); ++n) {
      if (room.packets[n].ip_version != 0) detail::judge(group, tables, set, room, n, counted);
    }
  } else if (has_packets) {
    judge_together(group, tables, set, room, counted);
  }
  group.meet();
  if (has_packets) end_group(group, tables, room, counted);
}

}  // namespace packetwarp::inspection_parts
