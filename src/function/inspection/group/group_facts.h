// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/group/asked_names.h"
#include "function/inspection/group/carry_streams.h"
#include "function/inspection/group/ended.h"
#include "function/inspection/group/read_heads.h"
#include "function/inspection/inspection_layout.h"
#include "function/inspection/inspection_room.h"
#include "function/inspection/packet_note.h"

namespace packetwarp::inspection_parts {

// Facts of the packets of a group that lanes find out before these are searched, a packet per lane: a warp waits for
// the first bytes of all payloads once. Each word has a bit per packet, and all lanes have the same words.
struct group_facts {
  std::uint32_t alone{};   // cannot be judged together with others
  std::uint32_t texts{};   // have a payload
  std::uint32_t tls{};     // begin a record of TLS
  std::uint32_t dns{};     // messages of DNS in UDP
  std::uint32_t names{};   // may ask for a name that rules look at
  std::uint32_t heads{};   // begin a message of HTTP that was read
  std::uint32_t differ{};  // the payload differs from the bytes of the stream
};

namespace detail {

[[nodiscard]] HOST_DEVICE inline bool has_to_be_alone(packet_note const& note) {
  return note.second_size != 0 || note.first_size > inspection_room::payload_bytes;
}

// By a lane: the bit of the n-th packet in each word that it belongs to.
HOST_DEVICE inline void add_facts(inspection_ref const& tables, inspection_set const& set, inspection_room const& room,
                                  unsigned n, group_facts& to) {
  auto const& note = room.packets[n];
  auto const bit = 1U << n;
  if (note.ip_version == 0) return;
  bool const is_dns = inspect::is_dns_message(packet_of_first_piece(note));
  if (has_to_be_alone(note)) to.alone |= bit;
  if (is_dns) to.dns |= bit;
  if (note.first_size == 0) return;
  to.texts |= bit;
  bool const may_be_tls = note.kind == inspect::packet_kind::tcp && note.first_byte == tls_handshake;
  if (may_be_tls && begins_tls_record(note.first, note.first_size)) to.tls |= bit;
  if (set.name_rules != 0 && (is_dns || may_be_tls)) to.names |= bit;
  if (message_of(tables, room, n) != nullptr) to.heads |= bit;
  bool const is_in_stream = (note.flags & note_flag::has_text) != 0;
  if (is_in_stream && tables.texts.rooms[note.text].differs != 0) to.differ |= bit;
}

// The class of a packet of the group, as class_alone(). heads: group_facts.
[[nodiscard]] HOST_DEVICE inline std::uint32_t class_in_group(packet_note const& note, std::uint32_t heads,
                                                              unsigned n) {
  bool const has_flow = (note.flags & note_flag::has_flow) != 0;
  bool const is_to_server = (note.flags & note_flag::to_server) != 0;
  auto const way = !has_flow      ? inspect::packet_way::none
                   : is_to_server ? inspect::packet_way::to_server
                                  : inspect::packet_way::to_client;
  bool const has_head = (heads >> n & 1) != 0;
  return inspect::packet_class(note.kind, way, has_head ? inspect::http_chance::some : inspect::http_chance::none);
}

}  // namespace detail

// By all lanes, after read_heads().
[[nodiscard]] HOST_DEVICE group_facts facts_of_group(auto const& group, inspection_ref const& tables,
                                                     inspection_set const& set, inspection_room const& room) {
  group_facts own;
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) detail::add_facts(tables, set, room, n, own);
  // Each bit is of one lane.
  return {.alone = group.sum(own.alone),
          .texts = group.sum(own.texts),
          .tls = group.sum(own.tls),
          .dns = group.sum(own.dns),
          .names = group.sum(own.names),
          .heads = group.sum(own.heads),
          .differ = group.sum(own.differ)};
}

}  // namespace packetwarp::inspection_parts
