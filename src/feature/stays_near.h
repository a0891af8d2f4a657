// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "wire/big_endian.h"
#include "wire/ethernet.h"
#include "wire/ip_protocol.h"

namespace packetwarp::feature {

// Whether facts_of() (packet_facts.h) reads no more than the first 64 bytes of a packet (burst/near_header.h): IPv4
// without options after up to two tags, whose transport header ends with byte 62, and UDP or ICMP right after IPv6
// without tags, which ends there, too. Reads no further itself. Most other packets of a network are TCP over IPv6.
[[nodiscard]] HOST_DEVICE constexpr bool stays_near(packet_view packet) {
  constexpr std::uint32_t ethernet = 14;
  constexpr std::uint32_t most_tags = 8;
  constexpr std::uint32_t ipv6_next_header_at = 6;
  if (packet.contiguous < ethernet + most_tags + 1) return false;
  auto ip_at = ethernet;
  auto const type_before = [packet](std::uint32_t offset) {
    return wire::ether_type{wire::load_be<std::uint16_t>(packet.data + offset - 2)};
  };
  while (ip_at < ethernet + most_tags && wire::is_vlan_tag(type_before(ip_at))) ip_at += 4;
  auto const* const ip = packet.data + ip_at;
  auto const type = type_before(ip_at);
  if (type == wire::ether_type::ipv4) return wire::load_be<std::uint8_t>(ip) == 0x45;
  if (type != wire::ether_type::ipv6 || ip_at != ethernet) return false;
  auto const next = wire::ip_protocol{wire::load_be<std::uint8_t>(ip + ipv6_next_header_at)};
  return next == wire::ip_protocol::udp || next == wire::ip_protocol::icmpv6;
}

}  // namespace packetwarp::feature
