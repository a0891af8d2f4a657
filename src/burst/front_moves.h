// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <cstdint>

namespace packetwarp {

// Moves the packet's start after a function has written so many bytes in front of it, or removed as many if negative.
inline void move_front(rte_mbuf& packet, int pushed) {
  packet.data_off = static_cast<std::uint16_t>(packet.data_off - pushed);
  packet.data_len = static_cast<std::uint16_t>(packet.data_len + pushed);
  packet.pkt_len += static_cast<std::uint32_t>(pushed);
}

}  // namespace packetwarp
