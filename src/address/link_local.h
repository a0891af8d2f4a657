// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "address/ip_prefix.h"
#include "wire/address.h"

namespace packetwarp {

// The link-local address of an interface with this MAC address, in its prefix: fe80::/64 and the modified EUI-64 (RFC
// 4291, 2.5.1 and appendix A).
[[nodiscard]] inline ip_prefix link_local_of(wire::mac_address const& mac) {
  auto const n = mac.number();
  auto const low = (n >> 24 ^ 0x02'00'00) << 40 | std::uint64_t{0xfffe} << 24 | (n & 0xff'ff'ff);
  return {wire::ipv6_address{0xfe80ULL << 48, low}, 64};
}

}  // namespace packetwarp
