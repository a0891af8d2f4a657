// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_ethdev.h>

#include <algorithm>
#include <cstdint>

namespace packetwarp {

// The largest MTU with which rte_eth_dev_configure() takes a port. A driver that tells no largest MTU leaves DPDK's
// 65535; its longest frame is the limit then.
[[nodiscard]] inline std::uint16_t largest_mtu_of(rte_eth_dev_info const& info) {
  constexpr std::uint32_t framing = RTE_ETHER_HDR_LEN + RTE_ETHER_CRC_LEN;
  if (info.max_mtu != UINT16_MAX || info.max_rx_pktlen <= framing) return info.max_mtu;
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(info.max_mtu, info.max_rx_pktlen - framing));
}

}  // namespace packetwarp
