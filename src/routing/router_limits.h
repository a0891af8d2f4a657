// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp {

// The capacity of a router_table, fixed when it is made. Bytes in each place: 128 MiB for the two roots, 1 KiB per
// group, 16 per next hop, 32 per IPv4 host and 128 per IPv6 host; on the host only the used memory is taken.
struct router_limits {
  std::uint32_t interfaces{64};
  std::uint32_t ipv4_groups{65536};  // one for each 24-bit prefix that has longer ones within
  std::uint32_t ipv6_groups{65536};  // as in lpm_table
  std::uint32_t next_hops{65536};    // neighbours, and some fixed ones
  std::uint32_t hosts{65536};        // neighbours and own addresses, of each IP version
  std::uint32_t learnt{};            // of next_hops and of hosts: left to neighbours that packets make known
};

}  // namespace packetwarp
