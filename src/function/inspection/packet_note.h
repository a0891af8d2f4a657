// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "burst/near_header.h"
#include "burst/packet_view.h"
#include "feature/packet_facts.h"
#include "function/inspection/inspection_layout.h"
#include "function/joined_header.h"
#include "function/told_facts.h"
#include "inspect/match/inspected_packet.h"
#include "wire/parse.h"
#include "wire/tcp.h"

namespace packetwarp::inspection_parts {

namespace note_flag {
inline constexpr std::uint16_t has_transport = 1;
inline constexpr std::uint16_t fragment = 2;
inline constexpr std::uint16_t has_flow = 4;
inline constexpr std::uint16_t to_server = 8;
inline constexpr std::uint16_t established = 16;
inline constexpr std::uint16_t begins_direction = 32;
inline constexpr std::uint16_t begins_flow = 128;
inline constexpr std::uint16_t backward = 64;         // the direction of feature::packet_keys is 1
inline constexpr std::uint16_t has_begun = 256;       // TCP: the flow's handshake has been seen
inline constexpr std::uint16_t two_way = 512;         // both sides of the flow have sent
inline constexpr std::uint16_t bypassed = 1024;       // the flow, by a rule that an earlier packet has matched
inline constexpr std::uint16_t ended = 2048;          // the flow, by a rule that decides on it
inline constexpr std::uint16_t rejects = 4096;        // with `ended`: its packets are rejected, and not dropped
inline constexpr std::uint16_t has_text = 8192;       // the packet is of a stream, and has a stream_text
inline constexpr std::uint16_t in_text = 16384;       // the payload lies there
inline constexpr std::uint16_t unless_known = 32768;  // with `begins_flow`: if the packet's numbers are not known
inline constexpr std::uint16_t of_flow =              // all that follow from the packet's flow
    has_flow | to_server | established | begins_direction | begins_flow | has_begun | two_way | bypassed | ended |
    rejects | unless_known;
}  // namespace note_flag

// An address as plain words: a room has no constructors.
struct address_words {
  std::uint64_t high;
  std::uint64_t low;
};

// The facts of a packet that a group's room keeps. The payload lies in one piece or two, where the packet is.
struct packet_note {
  std::byte const* first;
  std::byte const* second;
  address_words source;
  address_words destination;
  std::uint64_t flow;        // key; 0: the packet belongs to none
  std::uint32_t flow_place;  // with note_flag::has_flow
  std::uint16_t first_size;
  std::uint16_t second_size;
  std::uint16_t payload_length;    // as the headers count it
  std::uint16_t source_port;       // of ICMP: its type
  std::uint16_t destination_port;  // of ICMP: its code
  std::uint16_t flags;             // note_flag
  std::uint16_t text;              // number of the packet's stream_text, with note_flag::has_text
  std::uint8_t ip_version;         // 0: no sound IP header
  inspect::packet_kind kind;
  std::uint8_t protocol;
  std::uint8_t ttl;
  std::uint8_t tcp_flags;
  std::byte first_byte;  // of the payload, if first_size is not 0: a read of the payload may be a trip over PCIe
};
static_assert(sizeof(packet_note) == 80);

namespace detail {

[[nodiscard]] HOST_DEVICE constexpr inspect::packet_kind kind_of(feature::transport kind) {
  switch (kind) {
    case feature::transport::tcp:
      return inspect::packet_kind::tcp;
    case feature::transport::udp:
      return inspect::packet_kind::udp;
    case feature::transport::icmp:
      return inspect::packet_kind::icmp;
    default:
      return inspect::packet_kind::other;
  }
}

// Notes the places of the packet's bytes from `begin` to `end`, as far as its two pieces go.
HOST_DEVICE inline void note_payload(packet_view const& packet, std::uint32_t begin, std::uint32_t end,
                                     packet_note& to) {
  auto const near_end = end < packet.contiguous ? end : packet.contiguous;
  if (begin < near_end) {
    to.first = packet.data + begin;
    to.first_size = static_cast<std::uint16_t>(near_end - begin);
  }
  auto const reach = packet.contiguous + packet.rest_contiguous;
  auto const far_begin = begin > packet.contiguous ? begin : packet.contiguous;
  auto const far_end = end < reach ? end : reach;
  if (far_begin >= far_end) return;
  auto const* const far = packet.rest + (far_begin - packet.contiguous);
  auto const size = static_cast<std::uint16_t>(far_end - far_begin);
  if (to.first_size != 0) {
    to.second = far;
    to.second_size = size;
  } else {
    to.first = far;
    to.first_size = size;
  }
}

// After note_payload().
HOST_DEVICE inline void note_first_byte(packet_view const& packet, packet_view const& headers, std::uint32_t begin,
                                        packet_note& to) {
  if (to.first_size == 0) return;
  bool const is_near = begin < packet.contiguous && begin < near_bytes;
  to.first_byte = is_near ? headers.data[begin] : to.first[0];
}

// headers: the packet, or a copy of its headers in one piece; found: these, by wire::parse().
HOST_DEVICE inline void note(packet_view const& packet, packet_view const& headers, wire::layers const& found,
                             feature::packet_facts const& facts, packet_note& to, tcp_numbers& numbers) {
  to = {};
  to.ip_version = facts.ip_version;
  if (facts.ip_version == 0) return;
  auto const* const ip = headers.data + found.l3_offset;
  to.ttl = facts.ip_version == 4 ? wire::ipv4_view{ip}.ttl() : wire::ipv6_view{ip}.hop_limit();
  to.protocol = facts.protocol;
  to.source = {facts.source.high, facts.source.low};
  to.destination = {facts.destination.high, facts.destination.low};
  to.kind = kind_of(facts.kind);
  bool const is_fragment = facts.is_fragment != 0;
  if (is_fragment) to.flags = note_flag::fragment;
  if (found.error != wire::parse_error::none || is_fragment) return;
  to.source_port = facts.source_port;
  to.destination_port = facts.destination_port;
  to.tcp_flags = facts.tcp_flags;
  bool const has_transport = found.l4 != wire::l4_kind::none && found.l4 != wire::l4_kind::other;
  if (has_transport) to.flags |= note_flag::has_transport;
  if (to.kind == inspect::packet_kind::icmp && has_transport) {
    to.source_port = static_cast<std::uint16_t>(headers.data[found.l4_offset]);
    to.destination_port = static_cast<std::uint16_t>(headers.data[found.l4_offset + std::size_t{1}]);
  }
  if (to.kind == inspect::packet_kind::tcp && has_transport) {
    wire::tcp_view const tcp{headers.data + found.l4_offset};
    numbers = {tcp.sequence(), tcp.acknowledgment()};
  }
  to.payload_length = static_cast<std::uint16_t>(found.end - found.payload_offset);
  note_payload(packet, found.payload_offset, found.end, to);
  note_first_byte(packet, headers, found.payload_offset, to);
}

HOST_DEVICE feature::packet_facts note_with_headers(packet_view const& packet, packet_view const& headers,
                                                    packet_note& to, tcp_numbers& numbers,
                                                    tells_facts auto const& tell) {
  auto const found = wire::parse(headers.data, headers.contiguous, headers.length);
  auto const facts = told_facts_of(headers, found, tell);
  note(packet, headers, found, facts, to, numbers);
  return facts;
}

}  // namespace detail

// Notes the packet without the facts of its flow; returns what its flow's state is made of. numbers: written for a
// sound segment of TCP.
HOST_DEVICE feature::packet_facts note_packet(packet_view const& packet, packet_note& to, tcp_numbers& numbers,
                                              tells_facts auto const& tell) {
  if (!joined_header::is_needed(packet)) {
    auto headers = packet;
    if (packet.headers != nullptr) headers.data = packet.headers;
    return detail::note_with_headers(packet, headers, to, numbers, tell);
  }
  joined_header copy{packet};
  return detail::note_with_headers(packet, copy.view(), to, numbers, tell);
}

// The first byte of a record of a TLS handshake (RFC 8446, 5.1).
inline constexpr std::byte tls_handshake{22};

// Whether the bytes begin with such a record.
[[nodiscard]] HOST_DEVICE inline bool begins_tls_record(std::byte const* payload, std::uint32_t size) {
  constexpr std::byte major_version{3};
  return size > 5 && payload[0] == tls_handshake && payload[1] == major_version;
}

// The packet as rules see it. payload: all of it, in one piece.
[[nodiscard]] HOST_DEVICE inline inspect::inspected_packet packet_of(packet_note const& note, std::byte const* payload,
                                                                     std::uint32_t size) {
  inspect::inspected_packet made;
  made.payload = payload;
  made.payload_size = size;
  made.payload_length = note.payload_length;
  made.source = {note.source.high, note.source.low};
  made.destination = {note.destination.high, note.destination.low};
  if (note.kind == inspect::packet_kind::icmp) {
    made.icmp_type = static_cast<std::uint8_t>(note.source_port);
    made.icmp_code = static_cast<std::uint8_t>(note.destination_port);
  } else {
    made.source_port = note.source_port;
    made.destination_port = note.destination_port;
  }
  made.ip_version = note.ip_version;
  made.kind = note.kind;
  made.ttl = note.ttl;
  made.tcp_flags = note.tcp_flags;
  made.has_transport = (note.flags & note_flag::has_transport) != 0;
  made.is_fragment = (note.flags & note_flag::fragment) != 0;
  made.came_in_fragments = made.is_fragment;
  made.has_flow = (note.flags & note_flag::has_flow) != 0;
  made.is_to_server = (note.flags & note_flag::to_server) != 0;
  made.is_established = (note.flags & note_flag::established) != 0;
  made.begins_direction = (note.flags & note_flag::begins_direction) != 0;
  made.is_tls = made.kind == inspect::packet_kind::tcp && begins_tls_record(payload, size);
  return made;
}

// The same of the payload's first piece, which is not read: `is_tls` stays false.
[[nodiscard]] HOST_DEVICE inline inspect::inspected_packet packet_of_first_piece(packet_note const& note) {
  auto made = packet_of(note, nullptr, 0);
  made.payload = note.first;
  made.payload_size = note.first_size;
  return made;
}

}  // namespace packetwarp::inspection_parts
