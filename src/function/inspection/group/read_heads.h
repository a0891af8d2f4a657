// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/inspection/group/ended.h"
#include "function/inspection/head_rooms.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/packet_note.h"
#include "inspect/http/head.h"
#include "wire/tcp.h"

// Heads of HTTP in segments that begin a message, for executors without streams: a head of which the segment has no end
// is known up to its first line.
namespace packetwarp::inspection_parts {

namespace detail {

[[nodiscard]] HOST_DEVICE inline inspect::http_kind kind_of_message(packet_note const& note) {
  return (note.flags & note_flag::to_server) != 0 ? inspect::http_kind::request : inspect::http_kind::response;
}

// Whether the packet's first bytes may begin a message of HTTP in its direction. Data of a SYN, of a reset,
// or without an acknowledgment are of no stream.
[[nodiscard]] HOST_DEVICE inline bool may_begin_message(inspection_ref const& tables, inspection_set const& set,
                                                        packet_note const& note) {
  constexpr auto needed = note_flag::has_flow | note_flag::has_begun;
  if (note.kind != inspect::packet_kind::tcp || note.first_size == 0) return false;
  if (!inspect::goes_on_with_connection(note.tcp_flags)) return false;
  if ((note.flags & needed) != needed || is_left_out(set, note)) return false;
  // A message that the stream repeats has been judged.
  if ((note.flags & note_flag::has_text) != 0 && tables.texts.rooms[note.text].fresh == 0) return false;
  bool const is_request = kind_of_message(note) == inspect::http_kind::request;
  auto const may_begin_with = [is_request](inspect::text_view text) {
    return is_request ? inspect::detail::may_be_request(text) : inspect::detail::may_be_response(text);
  };
  // The first byte leaves out most packets.
  return may_begin_with({&note.first_byte, 1}) && may_begin_with({note.first, note.first_size});
}

// By all lanes: copies the payload into the room, as far as it goes. Returns the copy.
[[nodiscard]] HOST_DEVICE inline inspect::text_view copy_text(auto const& group, packet_note const& note,
                                                              head_room& to) {
  auto const all = std::uint32_t{note.first_size} + note.second_size;
  auto const size = all < head_room::longest ? all : head_room::longest;
#if defined(__CUDA_ARCH__)
  if (note.second_size == 0) return {copy_by_pieces(group, note.first, size, to.text), size};
#endif
  for (auto i = group.lane(); i < size; i += group.lanes()) {
    to.text[i] = i < note.first_size ? note.first[i] : note.second[i - note.first_size];
  }
  return {to.text, size};
}

// By a lane: the copy is read from here on, also by rules, because it lies nearer, and in one piece. A payload in one
// piece that is longer stays where it is; of one in two pieces rules see no more than this anyway (whole_payload).
HOST_DEVICE inline void look_at_copy(inspect::text_view text, packet_note& note) {
  static_assert(head_room::longest == inspection_room::payload_bytes);
  if (text.size < note.first_size) return;
  note.first = text.bytes;
  note.first_size = static_cast<std::uint16_t>(text.size);
  note.second_size = 0;
}

// By a lane. Not inlined: the code is long, and most packets have no head.
[[gnu::noinline]] HOST_DEVICE inline inspect::head_state read_head_of(inspect::text_view text, inspect::http_kind kind,
                                                                      head_room& in) {
  auto const state = inspect::read_head(text, kind, in.forms, head_room::form_bytes, in.message);
  in.has_message = in.message.known != 0 ? 1 : 0;
  return state;
}

// Whether bytes follow the message that may be the next one.
[[nodiscard]] HOST_DEVICE inline bool is_followed(inspect::http_message const& message, std::uint32_t size) {
  if (message.kind != inspect::http_kind::request || message.framing == inspect::http_framing::chunked) return false;
  auto const body = message.framing == inspect::http_framing::sized ? message.body_size : 0;
  return size - message.head_size > body;
}

// The part of the packet that may be its head.
[[nodiscard]] HOST_DEVICE inline inspect::text_view head_text(packet_note const& note) {
  return {note.first, note.first_size < head_room::longest ? note.first_size : head_room::longest};
}

// By a lane: counts the head that was read.
HOST_DEVICE inline void count_head(inspection_ref const& tables, packet_note const& note, head_room const& in,
                                   inspect::head_state state) {
  if (in.has_message == 0) return;
  bool const is_whole = state == inspect::head_state::complete && !is_followed(in.message, note.payload_length);
  if (!is_whole) add(tables.counts->heads_not_read, std::uint64_t{1});
  if (state == inspect::head_state::complete) add(tables.counts->messages.messages, std::uint64_t{1});
}

// By all lanes: the packet's bytes go into its room. It is the group's even if there is no head: it has the payload.
HOST_DEVICE inline void bring_text(auto const& group, packet_note& note, head_room& to) {
  // A payload within its stream is a copy, and stays there.
  if ((note.flags & note_flag::in_text) != 0) return;
  auto const text = copy_text(group, note, to);
  group.sync();
  if (group.lane() == 0) look_at_copy(text, note);
  group.sync();
}

// By all lanes: reads the head if it is plain. Lanes that read a head each go different ways, one after the other.
[[nodiscard]] HOST_DEVICE bool read_plain(auto const& group, inspection_ref const& tables, packet_note const& note,
                                          head_room& in) {
  bool const is_read =
      group.lanes() != 1 && inspect::read_plain_head(group, head_text(note), kind_of_message(note), in.lines, in.forms,
                                                     head_room::form_bytes, in.message);
  if (!is_read || group.lane() != 0) return is_read;
  in.has_message = 1;
  count_head(tables, note, in, inspect::head_state::complete);
  return true;
}

}  // namespace detail

// Reads the heads in the group's packets. After follow_group().
HOST_DEVICE inline void read_heads(auto const& group, inspection_ref const& tables, inspection_set const& set,
                                   inspection_room& room) {
  if (tables.heads.count == 0 || room.tcp == 0) return;
  std::uint32_t wanted = 0;
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
    room.heads[n] = inspection_room::no_head;
    auto const& note = room.packets[n];
    if (note.ip_version == 0 || set.head_rules == 0 || !detail::may_begin_message(tables, set, note)) continue;
    ++wanted;
    auto const taken = tables.heads.take(static_cast<std::uint32_t>(note.flow) + n);
    if (taken == head_rooms_ref::none) {
      add(tables.counts->heads_not_read, std::uint64_t{1});
    } else {
      room.heads[n] = static_cast<std::uint16_t>(taken);
    }
  }
  if (group.sum(wanted) == 0) return;
  group.sync();
  std::uint32_t read = 0;  // bits of packets
  NOT_UNROLLED
  for (unsigned n = 0; n < group.packets(); ++n) {
    if (room.heads[n] == inspection_room::no_head) continue;
    auto& in = tables.heads.rooms[room.heads[n]];
    detail::bring_text(group, room.packets[n], in);
    if (detail::read_plain(group, tables, room.packets[n], in)) read |= 1U << n;
  }
  group.sync();
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
    if (room.heads[n] == inspection_room::no_head || (read >> n & 1) != 0) continue;
    auto const& note = room.packets[n];
    auto& in = tables.heads.rooms[room.heads[n]];
    auto const state = detail::read_head_of(detail::head_text(note), detail::kind_of_message(note), in);
    detail::count_head(tables, note, in, state);
  }
  group.sync();
}

// The n-th packet's message; null: it begins none.
[[nodiscard]] HOST_DEVICE inline inspect::http_message const* message_of(inspection_ref const& tables,
                                                                         inspection_room const& room, unsigned n) {
  bool const may_have_one = tables.heads.count != 0 && (room.tcp >> n & 1) != 0;
  if (!may_have_one || room.heads[n] == inspection_room::no_head) return nullptr;
  auto const& in = tables.heads.rooms[room.heads[n]];
  return in.has_message != 0 ? &in.message : nullptr;
}

// After the group's packets are judged.
HOST_DEVICE inline void give_back_heads(auto const& group, inspection_ref const& tables, inspection_room const& room) {
  if (tables.heads.count == 0 || room.tcp == 0) return;
  group.sync();
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
    if (room.heads[n] != inspection_room::no_head) tables.heads.give_back(room.heads[n]);
  }
}

}  // namespace packetwarp::inspection_parts
