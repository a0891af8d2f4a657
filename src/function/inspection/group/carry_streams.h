// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/carried/island.h"
#include "function/inspection/carried/stream_record.h"
#include "function/inspection/carried/stream_text.h"
#include "function/inspection/group/ended.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/packet_note.h"
#include "function/network/unroll.h"
#include "inspect/match/inspected_packet.h"
#include "wire/tcp.h"

// Streams of TCP for executors without whole ones: a segment is judged with the bytes that lie around it in its stream,
// as far as they have come.
namespace packetwarp::inspection_parts {

namespace detail {

[[nodiscard]] HOST_DEVICE inline std::uint32_t direction_bit(packet_note const& note) {
  return (note.flags & note_flag::backward) != 0 ? 1 : 0;
}

// Whether the packet brings data to a stream. Data of a reset are of no stream (RFC 9293, 3.10.7.4); those of a SYN
// are judged alone, because a forged packet suffices for them.
[[nodiscard]] HOST_DEVICE inline bool brings_data(inspection_set const& set, packet_note const& note) {
  constexpr auto needed = note_flag::has_flow | note_flag::has_transport;
  if (set.stream_rules == 0 || note.kind != inspect::packet_kind::tcp || note.first_size == 0) return false;
  if ((note.tcp_flags & (wire::tcp_flag::rst | wire::tcp_flag::syn)) != 0) return false;
  return (note.flags & needed) == needed && !is_left_out(set, note);
}

// Whether the packet says where a stream begins.
[[nodiscard]] HOST_DEVICE inline bool begins_stream(packet_note const& note) {
  if (note.kind != inspect::packet_kind::tcp || (note.flags & note_flag::has_flow) == 0) return false;
  return (note.flags & note_flag::begins_flow) != 0 || (note.tcp_flags & wire::tcp_flag::syn) != 0;
}
HOST_DEVICE inline void note_begin(inspection_ref const& tables, packet_note const& note, std::uint32_t number) {
  auto& start = tables.streams.starts[note.flow_place];
  if ((note.flags & note_flag::begins_flow) != 0) begin_start(start);
  if ((note.tcp_flags & wire::tcp_flag::syn) != 0) note_first(start, direction_bit(note), number + 1);
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

HOST_DEVICE inline void give_back_text(inspection_ref const& tables, packet_note& note) {
  tables.texts.give_back(note.text);
  note.flags = static_cast<std::uint16_t>(note.flags & ~note_flag::has_text);
}

// By all lanes: copies the payload into the text.
HOST_DEVICE inline void copy_into(auto const& group, packet_note const& note, stream_text& text) {
  auto const size = std::uint32_t{note.first_size} + note.second_size;
  auto* const to = text.bytes + stream_text::payload_at;
#if defined(__CUDA_ARCH__)
  if (note.second_size == 0) {
    auto const* const copy = copy_by_pieces(group, note.first, size, to);
    if (group.lane() == 0) text.payload = static_cast<std::uint16_t>(copy - text.bytes);
    return;
  }
#endif
  for (auto i = group.lane(); i < size; i += group.lanes()) {
    to[i] = i < note.first_size ? note.first[i] : note.second[i - note.first_size];
  }
  if (group.lane() == 0) text.payload = stream_text::payload_at;
}

// Whether another group has segments of the record in hand.
[[nodiscard]] HOST_DEVICE inline bool has_others_pending(inspection_ref const& tables, inspection_room const& room,
                                                         unsigned n, std::uint32_t record) {
  std::uint32_t own = 0;
  for (unsigned i = 0; i < n; ++i) {
    auto const& note = room.packets[i];
    if ((note.flags & note_flag::has_text) != 0 && tables.texts.rooms[note.text].record == record) ++own;
  }
  shared_word<std::uint32_t> const pending{tables.streams.records[record].pending};
  return pending.load(cuda::memory_order_acquire) != own;
}

// A segment repeats bytes that may be those of a packet that another group has in hand: if that one is not judged yet,
// this one is judged by the same bytes; if it is, its verdict counts.
HOST_DEVICE inline void heed_first_judgement(inspection_ref const& tables, inspection_room& room, unsigned n,
                                             stream_text& text) {
  auto& note = room.packets[n];
  text.is_again = has_others_pending(tables, room, n, text.record) ? 1 : 0;
  if (text.is_again == 0) note_ended(ended_fate(tables.flows, note.flow_place, note.flow), note);
}

// By a lane: takes the record of the packet's connection in hand and finds the segment's place. text.record says
// whether the segment has one.
HOST_DEVICE inline void begin_join(inspection_ref const& tables, inspection_room& room, unsigned n, stream_text& text) {
  auto const& note = room.packets[n];
  auto& counts = tables.counts->segments;
  auto const number = room.sequences[n];
  auto const way = direction_bit(note);
  text.record = held_record::none;
  auto& start = tables.streams.starts[note.flow_place];
  if ((load(start.known) >> way & 1) == 0) return add(counts.without_begin, std::uint64_t{1});
  auto const held = hold_record(tables.streams, note.flow, tables.root->now());
  if (held.place == held_record::none) return;
  if (held.has_given_up) add(counts.given_up_for_places, std::uint64_t{1});
  auto& record = tables.streams.records[held.place];
  if (use_record(record, note.flow, note.flow_place, start)) add(counts.given_up, std::uint64_t{1});
  auto& side = record.directions[way];
  auto const first = load(start.first[way]);
  if (side.has_begun == 0) side.begin(first, record.is_renewed != 0 ? number : first);
  if (auto const place = place_of_segment(side, number); place != segment_place::in_stream) {
    add(place == segment_place::too_far_ahead ? counts.too_far_ahead : counts.differing, std::uint64_t{1});
    return release_record(tables.streams, held.place);
  }
  bool has_gap = false;
  auto const size = std::uint32_t{note.first_size} + note.second_size;
  text.join = find_join(side, number, size, has_gap);
  text.record = held.place;
  text.is_again = 0;
  if (has_gap) add(counts.gaps, std::uint64_t{1});
  if (!text.join.has_before() && number != first) add(counts.out_of_order, std::uint64_t{1});
  if (text.join.repeats_some(size)) heed_first_judgement(tables, room, n, text);
}

// Whether the byte at this place of the payload is another one than before.
[[nodiscard]] HOST_DEVICE inline bool differs_at(stream_direction const& side, stream_text const& text,
                                                 std::uint32_t number, std::uint32_t at) {
  auto const& join = text.join;
  auto const now = static_cast<int>(text.bytes[text.payload + at]);
  if (at < join.fresh_begin) return side.islands[join.before].byte_at(number + at) != now;
  if (at >= join.fresh_end) return side.islands[join.after].byte_at(number + at) != now;
  for (auto left = std::uint32_t{join.within}; left != 0; left &= left - 1) {
    auto const& one = side.islands[lowest_bit(left)];
    bool const has_byte = number + at - one.begin < one.size();
    if (has_byte && one.byte_at(number + at) != now) return true;
  }
  return false;
}

// By all lanes: whether the payload repeats bytes, and not as they were. Bytes that are kept no longer may be others.
[[nodiscard]] HOST_DEVICE inline bool differs(auto const& group, stream_direction const& side, stream_text const& text,
                                              std::uint32_t number, std::uint32_t size) {
  if (!text.join.repeats_some(size)) return false;
  std::uint32_t others = 0;
  NOT_UNROLLED
  for (auto at = group.lane(); at < size; at += group.lanes()) {
    if (differs_at(side, text, number, at)) ++others;
  }
  return group.sum(others) != 0;
}

// The bytes of the island before the segment's new bytes that are kept, and the begin of those after them.
[[nodiscard]] HOST_DEVICE inline std::uint32_t kept_before(stream_direction const& side, stream_join const& join,
                                                           std::uint32_t number) {
  if (!join.has_before()) return 0;
  auto const& one = side.islands[join.before];
  auto const skipped = one.end - (number + join.fresh_begin);
  return one.kept() > skipped ? one.kept() - skipped : 0;
}
[[nodiscard]] HOST_DEVICE inline std::uint32_t kept_after(stream_direction const& side, stream_join const& join) {
  return join.has_after() ? side.islands[join.after].kept() : 0;
}

// By all lanes: copies kept bytes to both sides of the segment's new bytes.
HOST_DEVICE inline void copy_neighbours(auto const& group, stream_direction const& side, stream_text& text,
                                        std::uint32_t number) {
  auto const& join = text.join;
  auto const before = kept_before(side, join, number);
  auto* const to = text.bytes + text.payload + join.fresh_begin - before;
  NOT_UNROLLED
  for (auto i = group.lane(); i < before; i += group.lanes()) to[i] = side.islands[join.before].tail[i];
  auto const after = kept_after(side, join);
  auto* const end = text.bytes + text.payload + join.fresh_end;
  NOT_UNROLLED
  for (auto i = group.lane(); i < after; i += group.lanes()) end[i] = side.islands[join.after].head[i];
}

// By all lanes: the bytes that the joined island keeps, all of which lie in the text, or in the island after it.
HOST_DEVICE inline void keep_ends(auto const& group, stream_direction& side, stream_text const& text,
                                  std::uint32_t number) {
  auto const& join = text.join;
  if (join.fresh() == 0) return;
  auto& to = side.islands[join.into];
  auto const before = kept_before(side, join, number);
  auto const total = before + join.fresh() + kept_after(side, join);
  auto const* const bytes = text.bytes + text.payload + join.fresh_begin - before;
  auto const kept = total < island::most_kept ? total : island::most_kept;
  bool const has_head = join.has_before() && before == island::most_kept;
  bool const has_tail = join.has_after() && kept_after(side, join) == island::most_kept;
  NOT_UNROLLED
  for (auto i = group.lane(); i < kept; i += group.lanes()) {
    if (!has_head) to.head[i] = bytes[i];
    if (!has_tail) to.tail[i] = bytes[total - kept + i];
    if (has_tail && join.into != join.after) to.tail[i] = side.islands[join.after].tail[i];
  }
}

// By a lane: notes the text in which the segment is judged: with its new bytes in the middle, or all that it repeats.
HOST_DEVICE inline void note_text(stream_direction const& side, std::uint32_t number, std::uint32_t size,
                                  stream_text& text) {
  auto const& join = text.join;
  auto const before = kept_before(side, join, number);
  auto const after = kept_after(side, join);
  bool const is_again = text.is_again != 0 && text.differs == 0;
  std::uint32_t const first = is_again ? 0 : join.fresh_begin;
  std::uint32_t const end = is_again ? size : join.fresh_end;
  auto const less = [](std::uint32_t bytes, std::uint32_t by) { return bytes > by ? bytes - by : 0; };
  bool const brings_some = end > first;
  auto const carried = brings_some ? less(before, join.fresh_begin - first) : 0;
  text.carried = static_cast<std::uint16_t>(carried);
  text.fresh = static_cast<std::uint16_t>(end - first);
  text.ahead = static_cast<std::uint16_t>(brings_some ? less(after, end - join.fresh_end) : 0);
  text.begin = static_cast<std::uint16_t>(text.payload + first - carried);
  bool const is_first = side.is_near_first != 0 && number + first - carried == side.first;
  text.is_whole = brings_some && is_first ? 1 : 0;
}

// By a lane: the segment's bytes are the stream's. Others may go on.
HOST_DEVICE inline void end_join(inspection_ref const& tables, packet_note& note, std::uint32_t number,
                                 bool has_other_bytes, stream_text& text) {
  auto& counts = tables.counts->segments;
  auto& record = tables.streams.records[text.record];
  auto& side = record.directions[direction_bit(note)];
  auto const size = std::uint32_t{note.first_size} + note.second_size;
  if (text.join.repeats_some(size)) add(has_other_bytes ? counts.differing : counts.repeated, std::uint64_t{1});
  text.differs = has_other_bytes ? 1 : 0;
  note_text(side, number, size, text);
  finish_join(side, text.join, number);
  add(record.pending, std::uint32_t{1});
  release_record(tables.streams, text.record);
  if (has_other_bytes) return;
  note.first = text.bytes + text.payload;
  note.first_size = static_cast<std::uint16_t>(size);
  note.second_size = 0;
  note.flags |= note_flag::in_text;
}

// By all lanes: puts the n-th packet's payload into its stream, and the stream's bytes around the payload.
HOST_DEVICE inline void carry_segment(auto const& group, inspection_ref const& tables, inspection_room& room,
                                      unsigned n) {
  auto& note = room.packets[n];
  auto& text = tables.texts.rooms[note.text];
  auto const number = room.sequences[n];
  auto const size = std::uint32_t{note.first_size} + note.second_size;
  copy_into(group, note, text);
  if (group.lane() == 0) begin_join(tables, room, n, text);
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
  if (tables.streams.count == 0) return;
  if (group.sum(detail::take_texts(group, tables, set, room)) == 0) return;
  group.sync();
  NOT_UNROLLED
  for (unsigned n = 0; n < group.packets(); ++n) {
    auto const& note = room.packets[n];
    if (note.ip_version == 0) continue;
    if (group.lane() == 0 && detail::begins_stream(note)) detail::note_begin(tables, note, room.sequences[n]);
    if ((note.flags & note_flag::has_text) != 0) detail::carry_segment(group, tables, room, n);
  }
  group.sync();
}

// After the group's packets are judged.
HOST_DEVICE inline void give_back_texts(auto const& group, inspection_ref const& tables, inspection_room& room) {
  if (tables.streams.count == 0) return;
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
