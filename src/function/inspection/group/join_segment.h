// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/carried/island.h"
#include "function/inspection/carried/stream_record.h"
#include "function/inspection/carried/stream_text.h"
#include "function/inspection/group/ended.h"
#include "function/inspection/group/stream_bytes.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/packet_note.h"

// The place of a segment in its stream, by one lane of a group, which has the record of the connection in hand.
namespace packetwarp::inspection_parts::detail {

[[nodiscard]] HOST_DEVICE inline std::uint32_t direction_bit(packet_note const& note) {
  return (note.flags & note_flag::backward) != 0 ? 1 : 0;
}

HOST_DEVICE inline void give_back_text(inspection_ref const& tables, packet_note& note) {
  tables.texts.give_back(note.text);
  note.flags = static_cast<std::uint16_t>(note.flags & ~note_flag::has_text);
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
// whether the segment has one. tries: as many as the group has left.
HOST_DEVICE inline void begin_join(inspection_ref const& tables, inspection_room& room, unsigned n, stream_text& text,
                                   std::uint32_t& tries) {
  auto const& note = room.packets[n];
  auto& counts = tables.counts->segments;
  auto const number = room.numbers[n].sequence;
  auto const way = direction_bit(note);
  text.record = held_record::none;
  auto& start = tables.streams.starts[note.flow_place];
  if ((load(start.known) & stream_start::has_numbers) == 0) return add(counts.without_begin, std::uint64_t{1});
  auto const held = hold_record(tables.streams, note.flow, tables.root->now(), tries);
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

}  // namespace packetwarp::inspection_parts::detail
