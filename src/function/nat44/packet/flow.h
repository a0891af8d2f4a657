// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "function/nat44/fault.h"
#include "function/nat44/session/session.h"
#include "wire/icmp.h"
#include "wire/ipv4.h"
#include "wire/tcp.h"
#include "wire/udp.h"

// The part of a packet that is translated: two endpoints, and their offsets.
namespace packetwarp::nat {

// The header that holds the endpoints' ports.
enum class carrier : std::uint8_t {
  udp,
  tcp,
  query,    // ICMP with an identifier, which is both endpoints' port (RFC 5508, 3)
  error,    // ICMP that holds a packet of the other direction, which it is about (RFC 5508, 4)
  address,  // another protocol: no ports
  none
};

// From source to destination, as this packet goes; for an ICMP error, the endpoints of the packet inside, swapped.
struct flow {
  endpoint source;
  endpoint destination;
  std::uint16_t transport_at{};  // bytes from the Ethernet header's first byte
  std::uint16_t inner_at{};      // of an error: the IPv4 header within
  std::uint16_t end{};           // of the readable bytes
  carrier held_by{carrier::none};
  carrier inner{carrier::none};  // of an error: the header that holds the ports within
  transport kind{transport::none};
  std::uint8_t tcp_flags{};
  fault wrong{fault::none};
};

enum class icmp_role : std::uint8_t { query, error, other };
[[nodiscard]] HOST_DEVICE constexpr icmp_role role_of(std::uint8_t type) {
  constexpr std::uint32_t queries = 1U << 0 | 1U << 8 | 1U << 13 | 1U << 14 | 1U << 15 | 1U << 16 | 1U << 17 | 1U << 18;
  constexpr std::uint32_t errors = 1U << 3 | 1U << 4 | 1U << 11 | 1U << 12;
  if (type > 31) return icmp_role::other;
  if ((queries >> type & 1) != 0) return icmp_role::query;
  return (errors >> type & 1) != 0 ? icmp_role::error : icmp_role::other;
}

// Bytes of a transport header that any packet within an error has (RFC 792).
inline constexpr std::uint32_t least_inner = 8;

HOST_DEVICE inline void read_ports(std::byte const* header, flow& of) {
  wire::udp_view const ports{header};  // TCP's are in the same place
  of.source.port = ports.source_port();
  of.destination.port = ports.destination_port();
}

[[nodiscard]] HOST_DEVICE inline flow failed(flow so_far, fault why) {
  so_far.wrong = why;
  return so_far;
}

// Reads the packet that an ICMP error holds. Its IPv4 checksum is checked; its transport's cannot be: it may be cut.
[[nodiscard]] HOST_DEVICE inline flow read_inner(packet_view packet, flow of) {
  constexpr std::uint32_t shortest = wire::ipv4_view<std::byte>::min_header_length;
  std::uint32_t const inner_at = of.inner_at;
  if (of.end < inner_at + shortest) return failed(of, fault::bad_icmp_error);
  wire::ipv4_view const ip{packet.data + inner_at};
  auto const header = static_cast<std::uint32_t>(ip.header_length());
  bool const has_ports =
      ip.version() == 4 && header >= shortest && of.end >= inner_at + header + least_inner && ip.fragment_offset() == 0;
  // The error must go to the sender of the packet that it is about; otherwise it is no error of that packet.
  if (!has_ports || !ip.checksum_is_intact() || !(of.destination.address == ip.source())) {
    return failed(of, fault::bad_icmp_error);
  }
  auto const* const transport = packet.data + inner_at + header;
  of.source.address = ip.destination();
  of.destination.address = ip.source();
  if (ip.protocol() == wire::ip_protocol::udp || ip.protocol() == wire::ip_protocol::tcp) {
    bool const is_udp = ip.protocol() == wire::ip_protocol::udp;
    wire::udp_view const ports{transport};
    of.source.port = ports.destination_port();
    of.destination.port = ports.source_port();
    of.inner = is_udp ? carrier::udp : carrier::tcp;
    of.kind = is_udp ? transport::udp : transport::tcp;
    return of;
  }
  if (ip.protocol() == wire::ip_protocol::icmp) {
    wire::icmp_view const message{transport};
    // Errors about errors do not exist (RFC 1122, 3.2.2).
    if (role_of(message.type_number()) != icmp_role::query) return failed(of, fault::bad_icmp_error);
    of.source.port = of.destination.port = message.identifier();
    of.inner = carrier::query;
    of.kind = transport::icmp;
    return of;
  }
  of.inner = carrier::address;
  return of;
}

// Checks the message's own checksum, if the whole message lies here (RFC 5508, REQ-3).
[[nodiscard]] HOST_DEVICE inline bool icmp_checksum_is_bad(packet_view packet, flow const& of, std::uint32_t length) {
  if (std::uint32_t{of.transport_at} + length > packet.contiguous) return false;
  return !wire::internet_sum{}.add(packet.data + of.transport_at, length).is_intact();
}

[[nodiscard, gnu::cold]] HOST_DEVICE inline flow read_icmp(packet_view packet, wire::ipv4_view<std::byte> ip, flow of) {
  constexpr std::uint32_t header = wire::icmp_view<std::byte>::header_length;
  if (of.end < of.transport_at + header) return failed(of, fault::transport_truncated);
  wire::icmp_view const message{packet.data + of.transport_at};
  auto const role = role_of(message.type_number());
  if (role == icmp_role::query) {
    of.held_by = carrier::query;
    of.kind = transport::icmp;
    of.source.port = of.destination.port = message.identifier();
    return of;
  }
  if (role == icmp_role::other) return failed(of, fault::icmp_type);
  if (icmp_checksum_is_bad(packet, of, static_cast<std::uint32_t>(ip.payload_length()))) {
    return failed(of, fault::bad_icmp_error);
  }
  of.held_by = carrier::error;
  of.inner_at = static_cast<std::uint16_t>(of.transport_at + header);
  return read_inner(packet, of);
}

// Reads a whole datagram whose IPv4 header has been checked.
[[nodiscard]] HOST_DEVICE inline flow read_flow(packet_view packet, wire::ipv4_view<std::byte> ip,
                                                std::uint32_t ip_at) {
  flow of{.source = {ip.source()}, .destination = {ip.destination()}};
  std::uint32_t const end = ip_at + ip.total_length();
  of.end = static_cast<std::uint16_t>(end < packet.contiguous ? end : packet.contiguous);
  of.transport_at = static_cast<std::uint16_t>(ip_at + ip.header_length());
  auto* const header = packet.data + of.transport_at;
  switch (ip.protocol()) {
    case wire::ip_protocol::udp:
      if (of.end < of.transport_at + wire::udp_view<std::byte>::header_length) break;
      of.held_by = carrier::udp;
      of.kind = transport::udp;
      read_ports(header, of);
      return of;
    case wire::ip_protocol::tcp:
      if (of.end < of.transport_at + wire::tcp_view<std::byte>::min_header_length) break;
      of.held_by = carrier::tcp;
      of.kind = transport::tcp;
      of.tcp_flags = wire::tcp_view{header}.flags();
      read_ports(header, of);
      return of;
    case wire::ip_protocol::icmp:
      return read_icmp(packet, ip, of);
    default:
      of.held_by = carrier::address;
      return of;
  }
  return failed(of, fault::transport_truncated);
}

}  // namespace packetwarp::nat
