// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/router/source_route.h"
#include "routing/find_host.h"
#include "routing/ip_packet.h"
#include "routing/router_ref.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"

// A router's first step: classifies a packet by its own headers, and refuses packets that no router passes on.
namespace packetwarp::routing {

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

// check_ipv4(), and source_routed for a packet with a source route if these are dropped. For a packet without options
// the only cost is the test of the header's length that check_ipv4() makes anyway.
[[nodiscard]] HOST_DEVICE inline fault check_ipv4(packet_view packet, source_routes routed) {
  auto const wrong = check_ipv4(packet);
  if (wrong != fault::none || ipv4_of(packet).options_length() == 0 || routed == source_routes::pass) return wrong;
  return has_source_route(ipv4_of(packet)) ? fault::source_routed : fault::none;
}

}  // namespace packetwarp::routing
