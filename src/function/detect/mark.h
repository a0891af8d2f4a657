// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "wire/dscp.h"
#include "wire/parse.h"

namespace packetwarp::detect_parts {

// Sets the DSCP of an IPv4 or IPv6 packet after VLAN tags; every other packet stays as it is.
HOST_DEVICE inline void set_dscp(packet_view packet, std::uint8_t dscp) {
  constexpr std::size_t ipv4_header = 20;
  auto const found = wire::parse(packet.data, packet.contiguous, packet.length);
  if (found.l3 != wire::l3_kind::ipv4 && found.l3 != wire::l3_kind::ipv6) return;
  if (found.l3_offset + ipv4_header <= packet.contiguous) wire::set_dscp(packet.data, found, dscp);
}

}  // namespace packetwarp::detect_parts
