// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cycles.h"
#include "burst/epoch.h"
#include "burst/kept_headers.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"

namespace packetwarp {

inline constexpr std::uint32_t max_burst_size = 8192;

// Packets that travel together: one slot of a burst ring. Owned by exactly one of RX job, executor and TX job at a
// time; the ring's cursors say which. The arrays have the ring's burst capacity.
struct burst {
  rte_mbuf** packets{};
  verdict* verdicts{};
  std::uint32_t size{};      // packets held
  bool has_chained{};        // some packet may have several mbufs
  cycles opened{};           // when its first packet was received
  std::uint64_t sequence{};  // position in the ring's life, from 0
  epoch_number epoch{first_epoch};
  kept_headers kept{};  // of its packets, if the ring keeps them

  [[nodiscard]] std::span<rte_mbuf*> all() const { return {packets, size}; }
};

// The first segment of a packet, which every driver fills with the headers at least.
[[nodiscard]] inline packet_view view_of(rte_mbuf& packet) {
  return {rte_pktmbuf_mtod(&packet, std::byte*), packet.data_len, packet.pkt_len};
}

// The same with the second segment, if one exists: this reads another cache line of the mbuf.
[[nodiscard]] inline packet_view view_with_rest_of(rte_mbuf& packet) {
  auto view = view_of(packet);
  if (packet.next != nullptr) {
    view.rest = rte_pktmbuf_mtod(packet.next, std::byte*);
    view.rest_contiguous = packet.next->data_len;
  }
  return view;
}

}  // namespace packetwarp
