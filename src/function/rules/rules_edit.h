// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "function/rules/rules_packet.h"

namespace packetwarp::rules_edit {

// The changes that rules make to packets; every checksum that covers them is kept right without a new sum (RFC 1624). A
// header that is missing is not changed.

// Updates the checksum of the transport header after a change of words in it or in its pseudo header.
HOST_DEVICE inline void update_l4_checksum(rules_packet const& packet, wire::checksum_update const& change) noexcept {
  auto* const l4 = packet.header(rules_header::l4);
  if (packet.has(rules_fact::udp)) {
    wire::udp_view const udp{l4};
    udp.set_checksum(change.apply_udp(udp.checksum()));
  } else if (packet.has(rules_fact::tcp)) {
    wire::tcp_view const tcp{l4};
    tcp.set_checksum(change.apply(tcp.checksum()));
  } else if (packet.has(rules_fact::icmpv6)) {
    wire::icmp_view const icmp{l4};
    icmp.set_checksum(change.apply(icmp.checksum()));
  }
}

enum class side : std::uint8_t { source, destination };

HOST_DEVICE inline void set_mac(rules_packet const& packet, side which, std::byte const* address) noexcept {
  wire::ethernet_view const ethernet{packet.view.data};
  if (which == side::source) {
    ethernet.set_source(wire::load_mac(address));
  } else {
    ethernet.set_destination(wire::load_mac(address));
  }
}

HOST_DEVICE inline void set_ipv4(rules_packet const& packet, side which, wire::ipv4_address address) noexcept {
  if (!packet.has(rules_fact::ipv4)) return;
  wire::ipv4_view const ip{packet.header(rules_header::l3)};
  auto const before = which == side::source ? ip.source() : ip.destination();
  if (which == side::source) {
    ip.set_source(address);
  } else {
    ip.set_destination(address);
  }
  auto const change = wire::checksum_update{}.replace32(before.number, address.number);
  ip.set_checksum(change.apply(ip.checksum()));
  update_l4_checksum(packet, change);
}

HOST_DEVICE inline void set_ipv6(rules_packet const& packet, side which, wire::ipv6_address address) noexcept {
  if (!packet.has(rules_fact::ipv6)) return;
  wire::ipv6_view const ip{packet.header(rules_header::l3)};
  auto const before = which == side::source ? ip.source() : ip.destination();
  if (which == side::source) {
    ip.set_source(address);
  } else {
    ip.set_destination(address);
  }
  update_l4_checksum(packet,
                     wire::checksum_update{}.replace64(before.high, address.high).replace64(before.low, address.low));
}

// UDP and TCP have their ports at the same offsets.
HOST_DEVICE inline void set_port(rules_packet const& packet, side which, std::uint16_t port) noexcept {
  if (!packet.has(rules_fact::udp | rules_fact::tcp)) return;
  auto* const at = packet.header(rules_header::l4) + (which == side::source ? 0 : 2);
  auto const before = wire::load_be<std::uint16_t>(at);
  wire::store_be<std::uint16_t>(at, port);
  update_l4_checksum(packet, wire::checksum_update{}.replace16(before, port));
}

[[nodiscard]] HOST_DEVICE inline std::uint8_t ttl(rules_packet const& packet) noexcept {
  auto* const l3 = packet.header(rules_header::l3);
  return packet.has(rules_fact::ipv4) ? wire::ipv4_view{l3}.ttl() : wire::ipv6_view{l3}.hop_limit();
}

HOST_DEVICE inline void set_ttl(rules_packet const& packet, std::uint8_t hops) noexcept {
  auto* const l3 = packet.header(rules_header::l3);
  if (packet.has(rules_fact::ipv6)) {
    wire::ipv6_view{l3}.set_hop_limit(hops);
  } else if (packet.has(rules_fact::ipv4)) {
    wire::ipv4_view const ip{l3};
    auto const protocol = static_cast<unsigned>(ip.protocol());
    auto const before = static_cast<std::uint16_t>(static_cast<unsigned>(ip.ttl()) << 8 | protocol);
    auto const after = static_cast<std::uint16_t>(static_cast<unsigned>(hops) << 8 | protocol);
    ip.set_ttl(hops);
    ip.set_checksum(wire::checksum_update{}.replace16(before, after).apply(ip.checksum()));
  }
}

// The addresses move to the packet's new beginning.
HOST_DEVICE inline void pop_vlan(rules_packet& packet) noexcept {
  if (!packet.has(rules_fact::vlan)) return;
  for (std::size_t i = 12; i > 0; --i) packet.view.data[i + 3] = packet.view.data[i - 1];
  packet.move_front(-4);
}

// Identifier and priority are copied from the tag after it, or 0 (OpenFlow 1.5.1, 5.8.1). Needs 4 bytes of headroom.
HOST_DEVICE inline void push_vlan(rules_packet& packet, std::uint16_t type) noexcept {
  auto* const start = packet.view.data - 4;
  auto const control =
      packet.has(rules_fact::vlan) ? wire::vlan_view{packet.header(rules_header::vlan)}.control() : std::uint16_t{0};
  for (std::size_t i = 0; i < 12; ++i) start[i] = start[i + 4];
  wire::store_be<std::uint16_t>(start + 12, type);
  wire::store_be<std::uint16_t>(start + 14, control);
  packet.move_front(4);
}

HOST_DEVICE inline void set_vlan_id(rules_packet const& packet, std::uint16_t id) noexcept {
  if (packet.has(rules_fact::vlan)) wire::vlan_view{packet.header(rules_header::vlan)}.set_id(id);
}
HOST_DEVICE inline void set_vlan_priority(rules_packet const& packet, std::uint8_t priority) noexcept {
  if (packet.has(rules_fact::vlan)) wire::vlan_view{packet.header(rules_header::vlan)}.set_priority(priority);
}

}  // namespace packetwarp::rules_edit
