// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/receive_job.h"

#include <rte_mbuf.h>

#include <algorithm>
#include <numeric>

namespace packetwarp {
namespace {

// Of an isolated receiver.
constexpr unsigned per_poll = 64;

// See isolated_ring_source::dequeue().
[[gnu::no_sanitize_thread]] bool has_room(rte_ring& ring, unsigned packets) {
  return rte_ring_free_count(&ring) >= packets;
}

// There is room, and this is the ring's only producer.
[[gnu::no_sanitize_thread]] void enqueue(rte_ring& ring, std::span<rte_mbuf*> packets) {
  rte_ring_sp_enqueue_bulk(&ring, reinterpret_cast<void**>(packets.data()), static_cast<unsigned>(packets.size()),
                           nullptr);
}

}  // namespace

received_packets counted_rx_queue::take_held(std::span<rte_mbuf*> room) {
  auto const n = std::min(room.size(), aside_end_ - aside_next_);
  std::copy_n(aside_.begin() + static_cast<std::ptrdiff_t>(aside_next_), n, room.begin());
  aside_next_ += n;
  return {.count = static_cast<std::uint32_t>(n), .has_chained = n != 0 && aside_has_chained_};
}

received_packets counted_rx_queue::receive_few(std::span<rte_mbuf*> room, cycles now) {
  if (!holds_packets()) {
    aside_next_ = 0;
    aside_end_ = queue_.receive(aside_);
    aside_has_chained_ = aside_end_ != 0 && count(std::span{aside_}.first(aside_end_), now);
  }
  return take_held(room);
}

std::uint32_t isolate_job::poll(tick const& t) {
  if (t.phase != run_phase::running) return 0;
  if (!has_room(*ring_, per_poll)) {
    counters_.ring_full.add(1);
    return 0;
  }
  std::array<rte_mbuf*, per_poll> packets;
  auto const n = source_.receive(packets, t.now).count;
  auto arrived = std::span{packets}.first(n);
  if (steering_) arrived = arrived.first(hand_to_kernel(arrived));
  hand_over(arrived);
  if (!arrived.empty()) enqueue(*ring_, arrived);
  return n;
}

std::uint32_t isolate_job::hand_to_kernel(std::span<rte_mbuf*> packets) {
  auto const bytes_of = [](std::span<rte_mbuf*> some) {
    return std::accumulate(some.begin(), some.end(), std::uint64_t{0},
                           [](auto sum, auto const* packet) { return sum + packet->pkt_len; });
  };
  std::array<rte_mbuf*, per_poll> kernels;
  std::uint32_t left = 0, theirs = 0;
  for (auto* const packet : packets) {
    if (steering_->is_kernels(*packet)) {
      kernels[theirs++] = packet;
    } else {
      packets[left++] = packet;
    }
  }
  if (theirs == 0) return left;
  auto const bytes = bytes_of(std::span{kernels}.first(theirs));
  auto const taken = kernel_->hand_over(std::span{kernels}.first(theirs));
  auto const rest = std::span{kernels}.first(theirs).subspan(taken);
  auto const lost = bytes_of(rest);
  arrivals_->steered.add(taken);
  arrivals_->steered_bytes.add(bytes - lost);
  if (rest.empty()) return left;
  hand_over(rest);
  rte_pktmbuf_free_bulk(rest.data(), static_cast<unsigned>(rest.size()));
  arrivals_->kernel_full.add(rest.size());
  arrivals_->kernel_full_bytes.add(lost);
  return left;
}

}  // namespace packetwarp
