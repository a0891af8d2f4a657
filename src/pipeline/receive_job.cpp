// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receive_job.h"

#include <rte_mbuf.h>

#include <algorithm>

namespace packetwarp {
namespace {

constexpr unsigned isolated_poll = 64;

// See isolated_ring_source::dequeue().
[[gnu::no_sanitize_thread]] unsigned room_in(rte_ring& ring) { return rte_ring_free_count(&ring); }
bool has_room(rte_ring& ring, unsigned packets) { return room_in(ring) >= packets; }

// The caller has checked that the ring has room, and is its only producer.
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
  if (least_room_ != left && !holds_packets()) {
    aside_next_ = 0;
    aside_end_ = queue_.receive(aside_);
    aside_has_chained_ = aside_end_ != 0 && count(std::span{aside_}.first(aside_end_), now);
  }
  return take_held(room);
}

std::uint32_t isolate_job::poll(tick const& t) {
  if (t.phase != run_phase::running) return 0;
  bool const has_room_for_all = has_room(*ring_, isolated_poll);
  if (!has_room_for_all) {
    counters_.ring_full.add(1);
    if (!steering_) return 0;
  }
  std::array<rte_mbuf*, isolated_poll> packets;
  auto const n = source_.receive(packets, t.now).count;
  auto arrived = std::span{packets}.first(n);
  if (steering_) arrived = arrived.first(hand_to_host(arrived));
  if (!has_room_for_all) {
    auto const room = std::min<std::size_t>(arrived.size(), room_in(*ring_));
    show(arrived.subspan(room), capture_stage::rx);
    drop(arrived.subspan(room), drop_reason::isolated_full, arrivals_->isolated_full);
    arrived = arrived.first(room);
  }
  hand_over(arrived);
  if (!arrived.empty()) enqueue(*ring_, arrived);
  return n;
}

std::uint32_t isolate_job::hand_to_host(std::span<rte_mbuf*> packets) {
  std::array<rte_mbuf*, isolated_poll> hosts;
  std::uint32_t left = 0, theirs = 0;
  for (auto* const packet : packets) {
    if (steering_->is_hosts(*packet)) {
      hosts[theirs++] = packet;
    } else {
      packets[left++] = packet;
    }
  }
  if (theirs == 0) return left;
  auto const all = std::span{hosts}.first(theirs);
  auto const bytes = frame_bytes_of(all);
  show(all, capture_stage::rx);
  show(all, capture_stage::kernel);
  auto const rest = all.subspan(twin_->hand_over(all));
  arrivals_->steered.add(theirs - rest.size());
  arrivals_->steered_bytes.add(bytes - frame_bytes_of(rest));
  drop(rest, drop_reason::kernel_full, arrivals_->kernel_full);
  return left;
}

void isolate_job::drop(std::span<rte_mbuf*> packets, drop_reason why, telemetry::counter& counter) {
  if (packets.empty()) return;
  if (auto* const capture = seen_.tap.active()) [[unlikely]]
    capture->take_dropped(seen_.port, why, packets);
  arrivals_->lost_bytes.add(frame_bytes_of(packets));
  hand_over(packets);
  rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(packets.size()));
  counter.add(packets.size());
}

}  // namespace packetwarp
