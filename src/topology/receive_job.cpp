// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/receive_job.h"

#include <algorithm>

namespace packetwarp {
namespace {

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
  constexpr unsigned per_poll = 64;
  if (!has_room(*ring_, per_poll)) {
    counters_.ring_full.add(1);
    return 0;
  }
  std::array<rte_mbuf*, per_poll> packets;
  auto const n = source_.receive(packets, t.now).count;
  auto const arrived = std::span{packets}.first(n);
  hand_over(arrived);
  if (n != 0) enqueue(*ring_, arrived);
  return n;
}

}  // namespace packetwarp
