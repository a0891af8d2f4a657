// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "twin/twin_steering.h"

#include <rte_mbuf.h>

#include <algorithm>

#include "burst/packet_view.h"
#include "routing/ip_packet.h"
#include "wire/ethernet.h"

namespace packetwarp {
namespace {

[[nodiscard]] packet_view view_of(rte_mbuf const& packet) {
  return {rte_pktmbuf_mtod(&packet, std::byte*), packet.data_len, packet.pkt_len};
}

[[nodiscard]] bool is_whole(packet_view packet, std::uint32_t header) {
  return packet.contiguous >= routing::ip_at + header;
}

}  // namespace

twin_steering::twin_steering(twin_config const& config) : mac_{config.mac.number()} {
  for (auto const& flow : config.flows) {
    if (auto const* const ipv4 = std::get_if<wire::ipv4_address>(&flow)) {
      ipv4_.push_back(*ipv4);
    } else {
      ipv6_.push_back(std::get<wire::ipv6_address>(flow));
    }
  }
}

bool twin_steering::is_hosts(rte_mbuf const& packet) const {
  auto const view = view_of(packet);
  if (!is_whole(view, wire::ipv4_view<std::byte>::min_header_length)) return false;
  wire::ethernet_view const ethernet{view.data};
  if (ethernet.destination().number() != mac_) return false;
  auto const type = ethernet.type();
  if (type == wire::ether_type::ipv4) {
    return std::find(ipv4_.begin(), ipv4_.end(), routing::ipv4_of(view).destination()) != ipv4_.end();
  }
  if (type != wire::ether_type::ipv6 || !is_whole(view, wire::ipv6_view<std::byte>::header_length)) return false;
  // Neighbours answer the router's own questions at the same address.
  return std::find(ipv6_.begin(), ipv6_.end(), routing::ipv6_of(view).destination()) != ipv6_.end() &&
         !routing::is_neighbour_discovery(view);
}

std::optional<punt_reason> why_control_plane(rte_mbuf const& packet) {
  auto const view = view_of(packet);
  if (!is_whole(view, 0)) return std::nullopt;
  auto const type = wire::ethernet_view{view.data}.type();
  if (type == wire::ether_type::arp) return punt_reason::arp;
  bool const is_discovery = type == wire::ether_type::ipv6 &&
                            is_whole(view, wire::ipv6_view<std::byte>::header_length) &&
                            routing::is_neighbour_discovery(view);
  return is_discovery ? std::optional{punt_reason::neighbour_discovery} : std::nullopt;
}

}  // namespace packetwarp
