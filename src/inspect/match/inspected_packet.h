// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "inspect/compiled/ruleset.h"
#include "inspect/http/message.h"
#include "wire/address.h"
#include "wire/tcp.h"

namespace packetwarp::inspect {

// The facts of a packet that rules ask for.
struct inspected_packet {
  std::byte const* payload{};
  std::uint32_t payload_size{};
  std::uint32_t payload_length{};  // as the headers count it: more than was recorded of a packet that is cut short
  wire::ipv6_address source{};     // of IPv4: the number in `low`
  wire::ipv6_address destination{};
  std::uint16_t source_port{};
  std::uint16_t destination_port{};
  std::uint8_t ip_version{};
  packet_kind kind{};
  std::uint8_t ttl{};
  std::uint8_t tcp_flags{};
  std::uint8_t icmp_type{};
  std::uint8_t icmp_code{};
  bool has_transport{};  // a sound TCP, UDP or ICMP header
  bool is_fragment{};
  // A datagram that was put together; if fragments are judged by their headers alone, each of them.
  bool came_in_fragments{};

  bool is_dns{};  // a DNS message in UDP
  // The name that a DNS message or a TLS client asks for, with a dot before it. Empty: the packet asks for none.
  std::byte const* dotted_name{};
  std::uint32_t dotted_name_size{};
  bool may_ask_name{};  // the packet has not been read for a name

  bool is_tls{};               // of a connection that carries TLS
  bool is_http{};              // of a connection that carries HTTP
  bool begins_http{};          // the first one of its direction's stream that rules of HTTP are compared with
  http_message const* http{};  // that the packet brings or goes on with; null: none

  // The stream of TCP: the payload after bytes that were carried from earlier packets, which lie in order before it,
  // and before those that came earlier and lie after it. Empty: the packet brings nothing new to its stream.
  text_view stream{};
  std::uint32_t carried{};     // bytes at the begin of `stream` from earlier packets
  std::uint32_t ahead{};       // bytes at its end from earlier packets
  bool is_in_stream{};         // contents are searched in the stream, not in the payload
  bool has_whole_stream{};     // `stream` begins where the stream does
  bool differs_from_stream{};  // the payload repeats bytes of the stream, and not as they were
  // Places in `stream` at which segments begin a TLS client's first message (stream/hello_places.h).
  std::uint32_t const* hellos{};
  std::uint32_t hello_count{};
  std::uint32_t sequence{};  // of TCP
  std::uint32_t acknowledgment{};

  // By its flow.
  bool has_flow{};
  bool is_to_server{};
  bool is_established{};
  bool begins_direction{};  // the first packet of the flow in this direction
};

// A packet of TCP without payload that goes the other way.
[[nodiscard]] constexpr inspected_packet turned(inspected_packet const& packet) {
  inspected_packet made;
  made.source = packet.destination;
  made.destination = packet.source;
  made.source_port = packet.destination_port;
  made.destination_port = packet.source_port;
  made.ip_version = packet.ip_version;
  made.kind = packet.kind;
  made.ttl = packet.ttl;
  made.tcp_flags = wire::tcp_flag::ack;
  made.has_transport = packet.has_transport;
  made.is_tls = packet.is_tls;
  made.is_http = packet.is_http;
  made.sequence = packet.acknowledgment;
  made.acknowledgment = packet.sequence;
  made.has_flow = packet.has_flow;
  made.is_to_server = !packet.is_to_server;
  made.is_established = packet.is_established;
  return made;
}

// The ends of a packet, the same for both directions.
struct address_pair {
  wire::ipv6_address lower;
  wire::ipv6_address upper;
};
[[nodiscard]] HOST_DEVICE constexpr address_pair pair_of(inspected_packet const& packet) {
  auto const& from = packet.source;
  auto const& to = packet.destination;
  bool const is_lower = from.high != to.high ? from.high < to.high : from.low < to.low;
  return is_lower ? address_pair{from, to} : address_pair{to, from};
}

}  // namespace packetwarp::inspect
