// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "burst/near_header.h"

namespace packetwarp {

// The first bytes of a burst's packets as they were received. Stages change packets in place and change no byte after
// these; with them the TX job puts a received packet together again. Only for packets in host memory.
struct kept_headers {
  static constexpr std::uint32_t most_bytes = most_header_bytes;
  // In place of a length: the packet has been through the function before.
  static constexpr std::uint8_t comes_again = 0xff;
  static_assert(most_bytes < comes_again);

  std::byte* bytes{};       // most_bytes per packet; nullptr: none are kept
  std::uint8_t* lengths{};  // per packet

  [[nodiscard]] bool are_kept() const { return bytes != nullptr; }
  // For the packets from the n-th on; the first `again` of them have been through the function before.
  void keep(std::size_t n, std::span<rte_mbuf* const> packets, std::uint32_t again) const {
    for (auto const* packet : packets) rte_prefetch0(rte_pktmbuf_mtod(packet, void const*));
    std::fill_n(lengths + n, again, comes_again);
    for (std::size_t i = again; i < packets.size(); ++i) {
      auto const length = std::min<std::uint32_t>(packets[i]->data_len, most_bytes);
      std::memcpy(bytes + (n + i) * most_bytes, rte_pktmbuf_mtod(packets[i], void const*), length);
      lengths[n + i] = static_cast<std::uint8_t>(length);
    }
  }
  [[nodiscard]] bool has_come_again(std::size_t n) const { return lengths[n] == comes_again; }
  // The bytes of a packet that has not come again.
  [[nodiscard]] std::span<std::byte const> of(std::size_t n) const { return {bytes + n * most_bytes, lengths[n]}; }
};

}  // namespace packetwarp
