// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/inspection/carried/stream_record.h"
#include "function/inspection/carried/stream_text.h"
#include "function/inspection/group/ended.h"
#include "function/inspection/group/join_segment.h"
#include "function/inspection/group/stream_bytes.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/packet_note.h"
#include "inspect/match/inspected_packet.h"
#include "inspect/packet/tcp_connection.h"

// Streams of TCP for executors without whole ones: a segment is judged with the bytes that lie around it in its stream,
// as far as they have come.
namespace packetwarp::inspection_parts {

namespace detail {

// Whether the packet brings data to a stream. Data of a reset or without an acknowledgment are of no stream (RFC 9293,
// 3.10.7.4); the data of a SYN are judged alone, because the server may not take them.
[[nodiscard]] HOST_DEVICE inline bool brings_data(inspection_set const& set, packet_note const& note) {
  constexpr auto needed = note_flag::has_flow | note_flag::has_transport;
  if (set.stream_rules == 0 || note.kind != inspect::packet_kind::tcp || note.first_size == 0) return false;
  if (!inspect::goes_on_with_connection(note.tcp_flags)) return false;
  return (note.flags & needed) == needed && !is_left_out(set, note);
}

// Whether the packet is the server's answer to a SYN that begins a connection.
[[nodiscard]] HOST_DEVICE inline bool answers_handshake(packet_note const& note) {
  if (!inspect::answers_connection(note.tcp_flags) || (note.flags & note_flag::to_server) != 0) return false;
  return (note.flags & note_flag::begins_flow) != 0 || (note.flags & note_flag::has_begun) == 0;
}
// Whether the packet says where a stream begins.
[[nodiscard]] HOST_DEVICE inline bool begins_stream(packet_note const& note) {
  if (note.kind != inspect::packet_kind::tcp || (note.flags & note_flag::has_flow) == 0) return false;
  return (note.flags & note_flag::begins_flow) != 0 || answers_handshake(note);
}
HOST_DEVICE inline void note_begin(inspection_ref const& tables, packet_note const& note, tcp_numbers numbers) {
  auto& start = tables.streams.starts[note.flow_place];
  if ((note.flags & note_flag::begins_flow) != 0) begin_start(start);
  if (answers_handshake(note)) note_numbers(start, direction_bit(note), numbers);
}

// By all lanes: takes a room for the text of each packet that may be of a stream. Returns how many of the lane's
// packets concern streams.
[[nodiscard]] HOST_DEVICE inline std::uint32_t take_texts(auto const& group, inspection_ref const& tables,
                                                          inspection_set const& set, inspection_room& room) {
  std::uint32_t found = 0;
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
    auto& note = room.packets[n];
    if (note.ip_version == 0) continue;
    if (begins_stream(note)) ++found;
    if (!brings_data(set, note)) continue;
    if ((note.flags & note_flag::has_begun) == 0) {
      add(tables.counts->segments.without_begin, std::uint64_t{1});
      continue;
    }
    if (std::uint32_t{note.first_size} + note.second_size > stream_text::longest) continue;
    auto const taken = tables.texts.take(static_cast<std::uint32_t>(note.flow) + n);
    if (taken == text_rooms_ref::none) continue;
    note.text = static_cast<std::uint16_t>(taken);
    note.flags |= note_flag::has_text;
    ++found;
  }
  return found;
}

// By all lanes: puts the n-th packet's payload into its stream, and the stream's bytes around the payload. tries: as
// many as the group has left, in lane 0.
HOST_DEVICE inline void carry_segment(auto const& group, inspection_ref const& tables, inspection_room& room,
                                      unsigned n, std::uint32_t& tries) {
  auto& note = room.packets[n];
  auto& text = tables.texts.rooms[note.text];
  auto const number = room.numbers[n].sequence;
  auto const size = std::uint32_t{note.first_size} + note.second_size;
  copy_into(group, note, text);
  if (group.lane() == 0) begin_join(tables, room, n, text, tries);
  group.sync();
  if (text.record == held_record::none) {
    group.sync();
    if (group.lane() == 0) give_back_text(tables, note);
    return group.sync();
  }
  auto& side = tables.streams.records[text.record].directions[direction_bit(note)];
  bool const has_other_bytes = differs(group, side, text, number, size);
  group.sync();
  copy_neighbours(group, side, text, number);
  group.sync();
  keep_ends(group, side, text, number);
  group.sync();
  if (group.lane() == 0) end_join(tables, note, number, has_other_bytes, text);
  group.sync();
}

}  // namespace detail

// Puts the group's segments into their streams, in their order. After follow_group().
HOST_DEVICE inline void carry_streams(auto const& group, inspection_ref const& tables, inspection_set const& set,
                                      inspection_room& room) {
  if (tables.streams.count == 0 || room.tcp == 0) return;
  if (group.sum(detail::take_texts(group, tables, set, room)) == 0) return;
  group.sync();
  auto tries = tries_of_group;
  NOT_UNROLLED
  for (unsigned n = 0; n < group.packets(); ++n) {
    auto const& note = room.packets[n];
    if (note.ip_version == 0) continue;
    if (group.lane() == 0 && detail::begins_stream(note)) detail::note_begin(tables, note, room.numbers[n]);
    if ((note.flags & note_flag::has_text) != 0) detail::carry_segment(group, tables, room, n, tries);
  }
  group.sync();
}

// After the group's packets are judged.
HOST_DEVICE inline void give_back_texts(auto const& group, inspection_ref const& tables, inspection_room& room) {
  if (tables.streams.count == 0 || room.tcp == 0) return;
  group.sync();
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
    auto& note = room.packets[n];
    if ((note.flags & note_flag::has_text) == 0) continue;
    auto const record = tables.texts.rooms[note.text].record;
    shared_word<std::uint32_t>{tables.streams.records[record].pending}.fetch_sub(1, cuda::memory_order_release);
    detail::give_back_text(tables, note);
  }
}

// The packet is judged with its stream, as far as it is of one.
HOST_DEVICE inline void show_stream(inspection_ref const& tables, packet_note const& note,
                                    inspect::inspected_packet& packet) {
  if ((note.flags & note_flag::has_text) == 0) return;
  auto const& text = tables.texts.rooms[note.text];
  packet.is_in_stream = true;
  packet.stream = {text.bytes + text.begin, text.size()};
  packet.carried = text.carried;
  packet.ahead = text.ahead;
  packet.has_whole_stream = text.is_whole != 0;
  packet.differs_from_stream = text.differs != 0;
}

}  // namespace packetwarp::inspection_parts
