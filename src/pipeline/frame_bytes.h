// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <cstdint>
#include <numeric>
#include <span>

namespace packetwarp {

// The bytes of all frames, without FCS. It reads each mbuf's first line, so callers use it where packets are few, or
// are about to be freed anyway.
[[nodiscard]] inline std::uint64_t frame_bytes_of(std::span<rte_mbuf* const> packets) {
  return std::accumulate(packets.begin(), packets.end(), std::uint64_t{0},
                         [](auto sum, auto const* packet) { return sum + packet->pkt_len; });
}

}  // namespace packetwarp
