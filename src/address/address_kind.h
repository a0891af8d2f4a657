// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_device.h"
#include "wire/address.h"

// Kinds of addresses that follow from their own bits, without a router's tables.
namespace packetwarp::routing {

// Addresses that no packet on a wire comes from: "this" network, loopback, multicast and all above (RFC 1812, 5.3.7).
[[nodiscard]] HOST_DEVICE constexpr bool is_martian_source(wire::ipv4_address from) {
  auto const top = from.number >> 24;
  return top == 0 || top == 127 || top >= 224;
}
// The unspecified address, loopback (RFC 4291, 2.5.2 and 2.5.3) and multicast.
[[nodiscard]] HOST_DEVICE constexpr bool is_martian_source(wire::ipv6_address from) {
  return (from.high == 0 && from.low <= 1) || from.high >> 56 == 0xff;
}
// The same for destinations; multicast and the limited broadcast are not martian destinations.
[[nodiscard]] HOST_DEVICE constexpr bool is_martian_destination(wire::ipv4_address to) {
  auto const top = to.number >> 24;
  return top == 0 || top == 127 || (top >= 240 && to.number != 0xffff'ffff);
}
[[nodiscard]] HOST_DEVICE constexpr bool is_martian_destination(wire::ipv6_address to) {
  return to.high == 0 && to.low <= 1;
}
[[nodiscard]] HOST_DEVICE constexpr bool is_group(wire::ipv4_address to) { return to.number >> 28 >= 0xe; }
[[nodiscard]] HOST_DEVICE constexpr bool is_group(wire::ipv6_address to) { return to.high >> 56 == 0xff; }
[[nodiscard]] HOST_DEVICE constexpr bool is_link_local(wire::ipv4_address a) { return a.number >> 16 == 0xa9fe; }
[[nodiscard]] HOST_DEVICE constexpr bool is_link_local(wire::ipv6_address a) { return a.high >> 54 == 0x3fa; }

// Whether both are addresses of hosts that packets are routed between; route() handles all other addresses.
template <class Address>
[[nodiscard]] HOST_DEVICE constexpr bool is_between_hosts(Address from, Address to) {
  bool const is_refused = is_martian_source(from) || is_martian_destination(to);
  return !is_refused && !is_group(to) && !is_link_local(from) && !is_link_local(to);
}

}  // namespace packetwarp::routing
