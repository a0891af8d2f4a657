// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "wire/icmp.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

// An IP packet in a frame without tags: the place of its header, and the header's faults.
namespace packetwarp::routing {

// The faults of a packet. A function that routes puts `fault_names` first among its drop_names.
enum class fault : std::uint16_t {
  runt,                 // shorter than an Ethernet header
  not_for_us,           // to another interface's MAC address
  vlan_tagged,          // interfaces are untagged
  ip_truncated,         // an IP header that ends beyond the frame, or beyond its first piece
  bad_version,          // differs from the EtherType
  bad_header_length,    // less than 20 bytes
  bad_total_length,     // less than the header, or more than the frame holds
  bad_checksum,         // of the IPv4 header
  martian_source,       // no other host's address (RFC 1812, 5.3.7): the router's own and its broadcast addresses too
  martian_destination,  // an address that is on no wire
  directed_broadcast,   // to another interface's subnet (RFC 2644)
  link_local,           // would leave its link (RFC 3927, 2.6.2; RFC 4291, 2.5.6)
  discard_route,        // a route says so
  source_routed,        // a loose or strict source route (RFC 7126, 4.3 and 4.4)
  none
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(fault::none)> fault_names{
    "runt",           "not_for_us",          "vlan_tagged",        "ip_truncated",
    "bad_version",    "bad_header_length",   "bad_total_length",   "bad_checksum",
    "martian_source", "martian_destination", "directed_broadcast", "link_local",
    "discard_route",  "source_routed"};

[[nodiscard]] HOST_DEVICE constexpr verdict drop(fault why) {
  return verdict::drop(function_drop(static_cast<std::uint16_t>(why)));
}

inline constexpr std::uint32_t ip_at = 14;        // bytes of Ethernet header in front of IP: no tags
inline constexpr std::uint8_t redirect_v6 = 137;  // the last type of neighbour discovery
inline constexpr std::uint8_t first_hops = 64;    // of packets that the router itself sends

[[nodiscard]] HOST_DEVICE inline wire::ipv4_view<std::byte> ipv4_of(packet_view packet) {
  return wire::ipv4_view<std::byte>{packet.data + ip_at};
}
[[nodiscard]] HOST_DEVICE inline wire::ipv6_view<std::byte> ipv6_of(packet_view packet) {
  return wire::ipv6_view<std::byte>{packet.data + ip_at};
}

// Whether the packet is a message of neighbour discovery from this link (RFC 4861, 6.1 and 7.1).
[[nodiscard]] HOST_DEVICE inline bool is_neighbour_discovery(packet_view packet) {
  constexpr std::uint32_t message_at = ip_at + wire::ipv6_view<std::byte>::header_length;
  if (packet.contiguous < message_at + wire::icmp_view<std::byte>::header_length) return false;
  auto const ip = ipv6_of(packet);
  auto const type = wire::icmp_view{packet.data + message_at}.type_number();
  return ip.next_header() == wire::ip_protocol::icmpv6 && ip.hop_limit() == 255 &&
         type >= static_cast<std::uint8_t>(wire::icmpv6_type::router_solicitation) && type <= redirect_v6;
}

enum class ip_version : std::uint8_t { none, ipv4, ipv6 };

// The fault of an IPv4 packet by its own header (RFC 1812, 5.2.2 and 5.3.7). Without one, the whole header may be read,
// and the frame holds as many bytes as the header says.
[[nodiscard]] HOST_DEVICE inline fault check_ipv4(packet_view packet) {
  constexpr std::uint32_t shortest = wire::ipv4_view<std::byte>::min_header_length;
  if (packet.contiguous < ip_at + shortest) return fault::ip_truncated;
  auto const ip = ipv4_of(packet);
  if (ip.version() != 4) return fault::bad_version;
  if (ip.header_length() < shortest) return fault::bad_header_length;
  if (packet.contiguous < ip_at + ip.header_length()) return fault::ip_truncated;
  if (ip.total_length() < ip.header_length() || ip_at + ip.total_length() > packet.length) {
    return fault::bad_total_length;
  }
  if (!ip.checksum_is_intact()) return fault::bad_checksum;
  return fault::none;
}

// The fault of an IPv6 packet by its own header (RFC 8200, 3). Extension headers are for the destination.
[[nodiscard]] HOST_DEVICE inline fault check_ipv6(packet_view packet) {
  constexpr std::uint32_t header = wire::ipv6_view<std::byte>::header_length;
  if (packet.contiguous < ip_at + header) return fault::ip_truncated;
  auto const ip = ipv6_of(packet);
  if (ip.version() != 6) return fault::bad_version;
  if (ip_at + header + ip.payload_length() > packet.length) return fault::bad_total_length;
  return fault::none;
}

}  // namespace packetwarp::routing
