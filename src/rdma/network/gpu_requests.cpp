// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/gpu_requests.h"

#include <rte_mbuf.h>

#include <algorithm>

#include "rdma/roce/frame.h"

namespace packetwarp::rdma {

std::size_t gpu_requests::connection_of(roce::parsed_frame const& frame) const {
  auto const n = std::size_t{frame.fields.queue_number} - connections_.front().local_number;
  if (n >= connections_.size() || !roce::is_of_default_partition(frame.fields)) return connections_.size();
  auto const& path = connections_[n].path;
  return frame.source == path.destination && frame.destination == path.source ? n : connections_.size();
}

void gpu_requests::look_ahead(std::span<rte_mbuf* const> packets) {
  constexpr std::size_t line = 64;
  for (auto* const packet : packets) {
    auto const* const at = rte_pktmbuf_mtod(packet, std::byte const*);
    __builtin_prefetch(at);
    __builtin_prefetch(at + line);
  }
}

gpu_requests::fate gpu_requests::take(rte_mbuf& packet) {
  if (packet.nb_segs != 1) return fate::other;
  auto const* const at = rte_pktmbuf_mtod(&packet, std::byte const*);
  auto const headers = roce::read_headers(at, rte_pktmbuf_data_len(&packet));
  auto const& found = headers.frame;
  if (found.result != roce::frame_result::ok || roce::has_aeth(found.fields.code)) return fate::other;
  auto const n = connection_of(found);
  if (n == connections_.size()) return fate::other;
  // The GPU has no room for more than the MTU, which no right peer sends.
  if (ends_[n].room() == 0 || found.payload_bytes > connections_[n].how.mtu) {
    ++dropped_;
    return fate::dropped;
  }
  ends_[n].give({at, roce::ethernet_bytes + headers.total});
  auto& queue = held_[n];
  queue.packets[queue.given++ % queue.packets.size()] = &packet;
  return fate::kept;
}

std::size_t gpu_requests::collect(roce::roce_engine& engine) {
  std::size_t answers = 0;
  for (std::size_t n = 0; n < ends_.size(); ++n) {
    auto const count = ends_[n].collect([&](roce::responder_verdict const& answer) {
      engine.connections()[n].answer(answer);
      ++answers;
    });
    free(held_[n], count);
  }
  return answers;
}

void gpu_requests::free(ring& queue, std::uint32_t count) {
  auto const size = queue.packets.size();
  while (count != 0) {
    auto const first = queue.freed % size;
    auto const in_a_row = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, size - first));
    rte_pktmbuf_free_bulk(queue.packets.data() + first, in_a_row);
    queue.freed += in_a_row;
    count -= in_a_row;
  }
}

void gpu_requests::release() {
  for (auto& queue : held_) free(queue, static_cast<std::uint32_t>(queue.given - queue.freed));
}

}  // namespace packetwarp::rdma
