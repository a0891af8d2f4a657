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

// Whether all headers of a request lie in the first piece.
bool gpu_requests::is_readable(rte_mbuf const& packet) const {
  constexpr auto most_headers = roce::transport_at + roce::bth_bytes + roce::reth_bytes;
  if (packet.nb_segs == 1) return true;
  return packet.nb_segs == 2 && pieces_ == roce::frame_pieces::two && packet.data_len >= most_headers;
}

// bytes: of the frame, without padding after it.
void gpu_requests::give(std::size_t n, rte_mbuf& packet, std::uint32_t bytes) {
  std::span const first{rte_pktmbuf_mtod(&packet, std::byte const*), std::min<std::size_t>(bytes, packet.data_len)};
  if (pieces_ == roce::frame_pieces::one) return ends_[n].give(first);
  auto const* const rest = packet.next != nullptr ? rte_pktmbuf_mtod(packet.next, std::byte const*) : nullptr;
  ends_[n].give(first, {rest, bytes - first.size()});
}

gpu_requests::fate gpu_requests::take(rte_mbuf& packet) {
  if (!is_readable(packet)) return fate::other;
  auto const* const at = rte_pktmbuf_mtod(&packet, std::byte const*);
  auto const headers = roce::read_headers(at, rte_pktmbuf_pkt_len(&packet));
  auto const& found = headers.frame;
  if (found.result != roce::frame_result::ok || roce::has_aeth(found.fields.code)) return fate::other;
  auto const n = connection_of(found);
  if (n == connections_.size()) return fate::other;
  // The GPU has no room for more than the MTU, which no right peer sends.
  if (ends_[n].room() == 0 || found.payload_bytes > connections_[n].how.mtu) {
    ++dropped_;
    return fate::dropped;
  }
  give(n, packet, static_cast<std::uint32_t>(roce::ethernet_bytes + headers.total));
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
