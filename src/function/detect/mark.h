// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "wire/big_endian.h"
#include "wire/checksum.h"
#include "wire/parse.h"

namespace packetwarp::detect_parts {

// Sets the DSCP (RFC 2474, 3), six bits, of an IPv4 or IPv6 packet after up to two VLAN tags. ECN's two bits stay, and
// so does every other packet. IPv4's checksum follows.
HOST_DEVICE inline void set_dscp(packet_view packet, std::uint32_t dscp) {
  constexpr std::uint32_t ipv4_header = 20;
  auto const found = wire::parse(packet.data, packet.contiguous, packet.length);
  if (found.l3_offset == 0 || found.l3_offset + ipv4_header > packet.contiguous) return;
  auto* const ip = packet.data + found.l3_offset;
  auto const was = wire::load_be<std::uint16_t>(ip);
  if (found.l3 == wire::l3_kind::ipv4) {
    constexpr std::size_t checksum_at = 10;
    auto const is = static_cast<std::uint16_t>((was & 0xff03U) | dscp << 2);
    wire::store_be<std::uint16_t>(ip, is);
    auto const sum = wire::load_be<std::uint16_t>(ip + checksum_at);
    wire::store_be<std::uint16_t>(ip + checksum_at, wire::checksum_update{}.replace16(was, is).apply(sum));
  } else if (found.l3 == wire::l3_kind::ipv6) {
    wire::store_be<std::uint16_t>(ip, static_cast<std::uint16_t>((was & 0xf03fU) | dscp << 6));
  }
}

}  // namespace packetwarp::detect_parts
