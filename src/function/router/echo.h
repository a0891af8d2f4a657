// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "routing/find_host.h"
#include "routing/ip_packet.h"
#include "routing/router_ref.h"
#include "routing/routing.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"

// A router's own answers, in place: to echo requests to its own addresses (RFC 792, RFC 4443 4.2), unless the kernel of
// this machine has the addresses too. The request's checksum is carried over into the reply, so the sender of a damaged
// request refuses the reply.
namespace packetwarp::routing {

// Type and code share a word of the checksum; the code is 0 in both.
template <class Type>
HOST_DEVICE void make_reply(wire::icmp_view<std::byte> message, Type request, Type reply) {
  auto const before = static_cast<std::uint16_t>(static_cast<unsigned>(request) << 8);
  auto const after = static_cast<std::uint16_t>(static_cast<unsigned>(reply) << 8);
  message.set_type(reply);
  message.set_checksum(wire::checksum_update{}.replace16(before, after).apply(message.checksum()));
}

// Sends the packet back to its source, by the interface that it came in by: the sender knows the way. A frame that is
// too long for this interface is the control plane's, which cuts it.
[[nodiscard]] HOST_DEVICE inline verdict send_back(packet_view packet, router_ref const& tables) {
  wire::ethernet_view{packet.data}.swap_addresses();
  if (packet.length - ip_at > mtu_of_ingress(tables)) return verdict::punt(punt_reason::needs_fragmentation);
  return verdict::forward(static_cast<egress_index>(tables.ingress));
}

// Handles a checked packet to an own address: an echo request in one piece is answered; the kernel gets all others.
[[nodiscard]] HOST_DEVICE inline verdict answer(packet_view packet, wire::ipv4_view<std::byte> ip,
                                                router_ref const& tables) {
  constexpr std::uint32_t message_at = ip_at + wire::ipv4_view<std::byte>::min_header_length;
  constexpr std::uint32_t least = wire::icmp_view<std::byte>::header_length;
  wire::icmp_view const message{packet.data + message_at};
  bool const is_plain = ip.protocol() == wire::ip_protocol::icmp && !ip.is_fragment() && ip.options_length() == 0 &&
                        ip.payload_length() >= least && packet.contiguous >= message_at + least;
  if (!is_plain || message.type() != wire::icmp_type::echo_request || message.code() != 0) return verdict::punt();
  if (is_kernels(tables, ip.destination())) return verdict::punt();
  make_reply(message, wire::icmp_type::echo_request, wire::icmp_type::echo_reply);
  auto const source = ip.source();
  ip.set_source(ip.destination());
  ip.set_destination(source);
  auto const hops = ip.ttl();
  ip.set_ttl(first_hops);
  auto const high = [](std::uint8_t byte) { return static_cast<std::uint16_t>(byte << 8); };
  ip.set_checksum(wire::checksum_update{}.replace16(high(hops), high(first_hops)).apply(ip.checksum()));
  return send_back(packet, tables);
}

[[nodiscard]] HOST_DEVICE inline verdict answer(packet_view packet, wire::ipv6_view<std::byte> ip,
                                                router_ref const& tables) {
  constexpr std::uint32_t message_at = ip_at + wire::ipv6_view<std::byte>::header_length;
  constexpr std::uint32_t least = wire::icmp_view<std::byte>::header_length;
  if (is_neighbour_discovery(packet)) return verdict::punt(punt_reason::neighbour_discovery);
  wire::icmp_view const message{packet.data + message_at};
  bool const is_plain = ip.next_header() == wire::ip_protocol::icmpv6 && ip.payload_length() >= least &&
                        packet.contiguous >= message_at + least;
  if (!is_plain || message.type_v6() != wire::icmpv6_type::echo_request || message.code() != 0) return verdict::punt();
  if (is_kernels(tables, ip.destination())) return verdict::punt();
  make_reply(message, wire::icmpv6_type::echo_request, wire::icmpv6_type::echo_reply);
  auto const source = ip.source();
  ip.set_source(ip.destination());
  ip.set_destination(source);
  ip.set_hop_limit(first_hops);
  return send_back(packet, tables);
}

}  // namespace packetwarp::routing
