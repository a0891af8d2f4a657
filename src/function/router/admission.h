// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "address/address_kind.h"
#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/router/find_host.h"
#include "function/router/router_ref.h"
#include "function/router/source_route.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

// A router's first step: classifies a packet by its own headers, and refuses packets that no router passes on.
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

// The verdict for a packet to a group; the header's fixed part lies here. Neighbour discovery also gets messages from
// an own address: from them it learns that another host has the address (RFC 4862, 5.4).
[[nodiscard]] HOST_DEVICE inline verdict verdict_of_group(packet_view, wire::ipv4_view<std::byte> ip,
                                                          router_ref const& tables) {
  return is_no_hosts(tables, ip.source()) ? drop(fault::martian_source) : verdict::punt();
}
[[nodiscard]] HOST_DEVICE inline verdict verdict_of_group(packet_view packet, wire::ipv6_view<std::byte> ip,
                                                          router_ref const& tables) {
  if (is_neighbour_discovery(packet)) return verdict::punt(punt_reason::neighbour_discovery);
  return is_no_hosts(tables, ip.source()) ? drop(fault::martian_source) : verdict::punt();
}

// The verdict for a frame to a group's MAC address, whatever it holds.
[[nodiscard]] HOST_DEVICE inline verdict verdict_of_group_frame(packet_view packet, wire::ether_type type,
                                                                router_ref const& tables) {
  bool const is_ipv6 = type == wire::ether_type::ipv6;
  bool const is_ip = is_ipv6 || type == wire::ether_type::ipv4;
  auto const header =
      is_ipv6 ? wire::ipv6_view<std::byte>::header_length : wire::ipv4_view<std::byte>::min_header_length;
  if (!is_ip || packet.contiguous < ip_at + header) return verdict::punt();
  return is_ipv6 ? verdict_of_group(packet, ipv6_of(packet), tables)
                 : verdict_of_group(packet, ipv4_of(packet), tables);
}

enum class ip_version : std::uint8_t { none, ipv4, ipv6 };

// The result for a frame's Ethernet header: an IP packet to this interface's MAC address, or else the frame's verdict.
struct admission {
  ip_version version;
  verdict otherwise;
};
[[nodiscard]] HOST_DEVICE inline admission admit(packet_view packet, router_ref const& tables) {
  if (packet.contiguous < ip_at) return {ip_version::none, drop(fault::runt)};
  wire::ethernet_view const ethernet{packet.data};
  auto const to = ethernet.destination();
  auto const type = ethernet.type();
  auto const& interface = tables.interfaces[static_cast<std::size_t>(tables.ingress)];
  bool const is_own = to.number() == load_shared(&interface.mac);
  if (!is_own && !to.is_group()) {
    bool const is_kernels = (to.number() | router_interface::with_kernel) == load_shared(&interface.kernel);
    return {ip_version::none, is_kernels ? verdict::punt() : drop(fault::not_for_us)};
  }
  if (wire::is_vlan_tag(type)) return {ip_version::none, drop(fault::vlan_tagged)};
  if (type == wire::ether_type::arp) return {ip_version::none, verdict::punt(punt_reason::arp)};
  // A router forwards no packet that was sent to a group's MAC address (RFC 1812, 5.3.4).
  if (!is_own) return {ip_version::none, verdict_of_group_frame(packet, type, tables)};
  if (type == wire::ether_type::ipv4) return {ip_version::ipv4, verdict::punt()};
  if (type == wire::ether_type::ipv6) return {ip_version::ipv6, verdict::punt()};
  return {ip_version::none, verdict::punt()};
}

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

// The same, and source_routed for a packet with a source route if these are dropped. For a packet without options the
// only cost is the test of the header's length that check_ipv4() makes anyway.
[[nodiscard]] HOST_DEVICE inline fault check_ipv4(packet_view packet, source_routes routed) {
  auto const wrong = check_ipv4(packet);
  if (wrong != fault::none || ipv4_of(packet).options_length() == 0 || routed == source_routes::pass) return wrong;
  return has_source_route(ipv4_of(packet)) ? fault::source_routed : fault::none;
}

// The same for IPv6 (RFC 8200, 3). Extension headers are for the destination.
[[nodiscard]] HOST_DEVICE inline fault check_ipv6(packet_view packet) {
  constexpr std::uint32_t header = wire::ipv6_view<std::byte>::header_length;
  if (packet.contiguous < ip_at + header) return fault::ip_truncated;
  auto const ip = ipv6_of(packet);
  if (ip.version() != 6) return fault::bad_version;
  if (ip_at + header + ip.payload_length() > packet.length) return fault::bad_total_length;
  return fault::none;
}

}  // namespace packetwarp::routing
