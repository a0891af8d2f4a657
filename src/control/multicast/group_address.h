// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "wire/address.h"

// IPv6 groups on a link.
namespace packetwarp::groups {

inline constexpr wire::ipv6_address all_nodes{0xff02ULL << 48, 1};
inline constexpr wire::ipv6_address all_routers{0xff02ULL << 48, 2};
inline constexpr wire::ipv6_address all_listener_routers{0xff02ULL << 48, 0x16};  // RFC 3810, 5.2.14

// ff02::1:ff and the address's last three bytes (RFC 4291, 2.7.1).
[[nodiscard]] constexpr wire::ipv6_address solicited_node(wire::ipv6_address of) {
  return {0xff02ULL << 48, 0x1'ff00'0000 | (of.low & 0xff'ffff)};
}
// 33:33 and the group's last four bytes (RFC 2464, 7).
[[nodiscard]] constexpr wire::mac_address mac_of(wire::ipv6_address group) {
  return wire::mac_address::from_number(0x3333ULL << 32 | (group.low & 0xffff'ffff));
}

}  // namespace packetwarp::groups
