// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/gpu_frames.h"

#include <rte_mbuf.h>

#include <algorithm>

namespace packetwarp::rdma {

// An mbuf of the pool without a reference to another one, as drivers take them: what is not set when its frame has come
// is as rte_pktmbuf_free() leaves it. Here the mbuf itself is not touched, for the sake of the caches.
void gpu_frames::give(rte_mempool& pool) {
  auto const data_at = sizeof(rte_mbuf) + rte_pktmbuf_priv_size(&pool) + RTE_PKTMBUF_HEADROOM + lead_;
  std::array<void*, burst> blanks{};
  for (std::size_t n = 0; n < ends_.size(); ++n) {
    auto& queue = given_[n];
    while (queue.given - queue.taken + burst <= blanks_per_queue) {
      if (rte_mempool_get_bulk(&pool, blanks.data(), burst) != 0) break;
      for (auto* const packet : blanks) {
        queue.packets[queue.given++ % queue.packets.size()] = static_cast<rte_mbuf*>(packet);
        ends_[n].give(static_cast<std::byte*>(packet) + data_at);
      }
    }
  }
}

void gpu_frames::set_frame(rte_mbuf& packet, std::uint16_t bytes) const {
  packet.data_off = static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + lead_);
  packet.port = RTE_MBUF_PORT_INVALID;
  packet.ol_flags = 0;
  packet.packet_type = 0;
  packet.data_len = bytes;
  packet.pkt_len = bytes;
}

std::size_t gpu_frames::take(std::span<rte_mbuf*> into) {
  std::size_t taken = 0;
  for (std::size_t looked = 0; looked < ends_.size() && taken < into.size(); ++looked) {
    auto& queue = given_[turn_];
    auto& end = ends_[turn_];
    auto const count = std::min<std::size_t>(end.made(), into.size() - taken);
    for (std::size_t i = 0; i < count; ++i) {
      __builtin_prefetch(queue.packets[(queue.taken + ahead) % queue.packets.size()], 1);
      auto* const packet = queue.packets[queue.taken++ % queue.packets.size()];
      set_frame(*packet, end.take_length());
      into[taken++] = packet;
    }
    turn_ = turn_ + 1 == ends_.size() ? 0 : turn_ + 1;
  }
  return taken;
}

void gpu_frames::release() {
  for (auto& queue : given_)
    for (; queue.taken != queue.given; ++queue.taken)
      rte_mbuf_raw_free(queue.packets[queue.taken % queue.packets.size()]);
}

std::uint64_t gpu_frames::answers_dropped() const {
  std::uint64_t sum = 0;
  for (auto const& end : ends_) sum += end.dropped();
  return sum;
}

}  // namespace packetwarp::rdma
