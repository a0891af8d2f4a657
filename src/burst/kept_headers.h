// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>
#include <rte_prefetch.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "burst/near_header.h"

namespace packetwarp {

// A cache line of such bytes.
struct alignas(RTE_CACHE_LINE_SIZE) kept_line {
  std::byte bytes[RTE_CACHE_LINE_SIZE];
};

// Writes lines past the caches, where few are ever read: a store into them would fetch each line first. To be followed
// by end_of_streams() before another thread may read them.
inline void stream_lines(std::byte* to, std::byte const* from, std::size_t bytes) {
#if defined(__SSE2__)
  for (std::size_t at = 0; at < bytes; at += sizeof(__m128i)) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + at)));
  }
#else
  std::memcpy(to, from, bytes);
#endif
}
inline void end_of_streams() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

// The first bytes of a burst's packets as they were received. Stages change packets in place and change no byte after
// these; with them the TX job puts a received packet together again. Only for packets in host memory.
struct kept_headers {
  static constexpr std::uint32_t most_bytes = most_header_bytes;
  // In place of a length: the packet has been through the function before.
  static constexpr std::uint8_t comes_again = 0xff;
  static_assert(most_bytes < comes_again && most_bytes % sizeof(kept_line) == 0);

  std::byte* bytes{};       // most_bytes per packet, in whole cache lines; nullptr: none are kept
  std::uint8_t* lengths{};  // per packet

  [[nodiscard]] bool are_kept() const { return bytes != nullptr; }
  // For the packets from the n-th on; the first `again` of them have been through the function before.
  void keep(std::size_t n, std::span<rte_mbuf* const> packets, std::uint32_t again) const {
    for (auto const* packet : packets) rte_prefetch0(rte_pktmbuf_mtod(packet, void const*));
    std::fill_n(lengths + n, again, comes_again);
    for (std::size_t i = again; i < packets.size(); ++i) {
      auto const& packet = *packets[i];
      auto const length = std::min<std::uint32_t>(packet.data_len, most_bytes);
      auto const in_lines = (length + sizeof(kept_line) - 1) / sizeof(kept_line) * sizeof(kept_line);
      auto* const to = bytes + (n + i) * most_bytes;
      if (packet.data_off + in_lines <= packet.buf_len) {
        stream_lines(to, rte_pktmbuf_mtod(&packet, std::byte const*), in_lines);
      } else {
        std::memcpy(to, rte_pktmbuf_mtod(&packet, void const*), length);
      }
      lengths[n + i] = static_cast<std::uint8_t>(length);
    }
    end_of_streams();
  }
  [[nodiscard]] bool has_come_again(std::size_t n) const { return lengths[n] == comes_again; }
  // The bytes of a packet that has not come again.
  [[nodiscard]] std::span<std::byte const> of(std::size_t n) const { return {bytes + n * most_bytes, lengths[n]}; }
};

}  // namespace packetwarp
