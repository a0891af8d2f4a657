// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_ether.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace packetwarp {

// The longest frames that a port's kernel interface takes. Drivers count longer ones as sent, and they are lost, or no
// later packet of the queue leaves. The master follows the interface's MTU, and TX jobs ask.
class frame_limit {
 public:
  // extra_bytes: driver_traits::extra_bytes. most: the bytes of a frame that fit into the port's rings.
  frame_limit(std::uint32_t extra_bytes, std::uint32_t most) : extra_bytes_{extra_bytes}, most_{most} {}

  void follow(std::uint32_t mtu) {
    auto const bare = mtu + std::uint32_t{RTE_ETHER_HDR_LEN};
    untagged_.store(std::min(bare + extra_bytes_, most_), std::memory_order_relaxed);
    tagged_.store(std::min(bare + std::max(extra_bytes_, std::uint32_t{RTE_VLAN_HLEN}), most_),
                  std::memory_order_relaxed);
  }
  // Whether the interface takes the packet once `pushed` bytes are in front of it, which lie there already.
  [[nodiscard]] bool allows(rte_mbuf const& packet, int pushed = 0) const {
    auto const bytes = static_cast<std::uint32_t>(static_cast<int>(packet.pkt_len) + pushed);
    if (bytes <= untagged_.load(std::memory_order_relaxed)) return true;
    return bytes <= tagged_.load(std::memory_order_relaxed) && is_tagged(packet, pushed);
  }

 private:
  // The kernel gives a tag of this type room beyond the MTU (packet_extra_vlan_len_allowed() of Linux).
  [[nodiscard]] static bool is_tagged(rte_mbuf const& packet, int pushed) {
    constexpr int type_at = 12;
    if (packet.data_len < type_at + 2 - pushed) return false;
    auto const* const type = rte_pktmbuf_mtod_offset(&packet, unsigned char const*, type_at - pushed);
    return type[0] == 0x81 && type[1] == 0x00;
  }

  std::uint32_t extra_bytes_;
  std::uint32_t most_;
  std::atomic<std::uint32_t> untagged_{UINT32_MAX};
  std::atomic<std::uint32_t> tagged_{UINT32_MAX};
};

}  // namespace packetwarp
