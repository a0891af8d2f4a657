// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "function/nat44/fault.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/packet/find_endpoint.h"
#include "function/nat44/packet/flow.h"

// Whether a fragment to an outside address may be held for the rest of its datagram. Any host can send fragments, and
// each held fragment takes memory: the tables are asked first. Nothing is written.
namespace packetwarp::nat {

// Reads a datagram's first fragment. It carries the ports, but perhaps no more than these 8 bytes of a TCP header,
// because fragments are cut in units of 8 (RFC 791, 3.2).
[[nodiscard]] HOST_DEVICE inline flow read_first_fragment(packet_view packet, wire::ipv4_view<std::byte> ip,
                                                          std::uint32_t ip_at) {
  constexpr std::uint32_t least = 8;
  flow of{.source = {ip.source()}, .destination = {ip.destination()}};
  std::uint32_t const end = ip_at + ip.total_length();
  of.end = static_cast<std::uint16_t>(end < packet.contiguous ? end : packet.contiguous);
  of.transport_at = static_cast<std::uint16_t>(ip_at + ip.header_length());
  if (of.end < of.transport_at + least) return failed(of, fault::transport_truncated);
  auto const protocol = ip.protocol();
  if (protocol == wire::ip_protocol::udp || protocol == wire::ip_protocol::tcp) {
    of.kind = protocol == wire::ip_protocol::udp ? transport::udp : transport::tcp;
    of.held_by = protocol == wire::ip_protocol::udp ? carrier::udp : carrier::tcp;
    read_ports(packet.data + of.transport_at, of);
    return of;
  }
  of.held_by = carrier::address;
  if (protocol != wire::ip_protocol::icmp) return of;
  wire::icmp_view const message{packet.data + of.transport_at};
  auto const role = role_of(message.type_number());
  if (role == icmp_role::other) return failed(of, fault::icmp_type);
  of.inner_at = static_cast<std::uint16_t>(of.transport_at + wire::icmp_view<std::byte>::header_length);
  of.held_by = role == icmp_role::query ? carrier::query : carrier::error;
  if (role == icmp_role::error) return read_inner(packet, of);
  of.kind = transport::icmp;
  of.source.port = of.destination.port = message.identifier();
  return of;
}

// The reason why the outside address `at` does not let the fragment's datagram in; none if it does, or if a later
// fragment, which has no ports, cannot tell.
[[nodiscard]] HOST_DEVICE inline fault check_fragment(nat44_ref const& tables, packet_view packet,
                                                      wire::ipv4_view<std::byte> ip, std::uint32_t ip_at,
                                                      std::uint32_t at, filter_turn turn) {
  if (ip.fragment_offset() == 0) {
    auto const of = read_first_fragment(packet, ip, ip_at);
    return of.wrong != fault::none ? of.wrong : find_destination(tables, of, at, turn).wrong;
  }
  auto const protocol = ip.protocol();
  bool const has_ports =
      protocol == wire::ip_protocol::udp || protocol == wire::ip_protocol::tcp || protocol == wire::ip_protocol::icmp;
  return has_ports || (at & address_map::is_static) != 0 ? fault::none : fault::protocol;
}

}  // namespace packetwarp::nat
