// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "twin/twin_job.h"

#include <rte_mbuf.h>

#include <algorithm>
#include <array>

#include "twin/twin_steering.h"

namespace packetwarp {
namespace {

constexpr std::uint32_t packets_a_poll = 64;

}  // namespace

twin_job::twin_job(twin_surroundings around)
    : around_{std::move(around)},
      counters_{around_.link->counters},
      to_host_{around_.twin->tx(queue_id{0}), around_.twin->longest_chain(), waiting_packets, around_.timeout},
      from_host_{around_.twin->rx(queue_id{0})} {}

std::uint32_t twin_job::poll(tick const& t) { return carry_in(t) + carry_out(t); }

std::uint32_t twin_job::carry_in(tick const& t) {
  // A driver may count packets for a deleted interface as sent.
  if (around_.link->is_gone()) [[unlikely]]
    drop(to_host_.take_waiting(), counters_.lost);
  counters_.to_kernel.add(to_host_.flush(t.now));
  if (to_host_.is_stuck(t.now)) drop(to_host_.take_waiting(), counters_.full);
  std::uint32_t moved = 0;
  std::array<rte_mbuf*, packets_a_poll> packets;
  if (to_host_.has_room_for(packets_a_poll)) {
    auto const n = around_.link->take(packets);
    deliver(std::span{packets}.first(n), t);
    moved += n;
  }
  for (auto const& queue : around_.received) {
    if (has_left_ || t.phase != run_phase::running || !to_host_.has_room_for(packets_a_poll)) break;
    auto const n = queue.receive(packets);
    if (n == 0) continue;
    counters_.received.add(n);
    show(std::span{packets}.first(n), capture_stage::rx);
    auto const hosts = std::span{packets}.first(keep_from_control_plane(std::span{packets}.first(n), t.now));
    show(hosts, capture_stage::kernel);
    deliver(hosts, t);
    moved += n;
  }
  return moved;
}

// Moves the kernel's packets to the front; returns how many.
std::uint32_t twin_job::keep_from_control_plane(std::span<rte_mbuf*> packets, cycles now) {
  std::uint32_t kept = 0;
  for (auto* packet : packets) {
    auto const why = why_control_plane(*packet);
    if (!why) {
      packets[kept++] = packet;
    } else if (around_.desk->punt({&packet, 1}, {.why = *why, .port = around_.link->port()}, now).taken == 1) {
      counters_.to_control.add(1);
    } else {
      drop({&packet, 1}, counters_.full);
    }
  }
  return kept;
}

void twin_job::deliver(std::span<rte_mbuf*> packets, tick const& t) {
  if (packets.empty()) return;
  if (around_.link->is_gone()) [[unlikely]]
    return drop(packets, counters_.lost);
  counters_.to_kernel.add(to_host_.send(packets, t.now));
}

std::uint32_t twin_job::carry_out(tick const& t) {
  if (auto& to = around_.to_port) {
    counters_.sent.add(to->flush(t.now));
    if (to->is_stuck(t.now)) drop(to->take_waiting(), counters_.tx_full);
  }
  std::array<rte_mbuf*, packets_a_poll> packets;
  auto const room = std::min(packets_a_poll, room_out());
  if (t.phase != run_phase::running || room == 0) return 0;
  auto const n = from_host_.receive(std::span{packets}.first(room));
  if (n == 0) return 0;
  counters_.from_kernel.add(n);
  send(std::span{packets}.first(n), t);
  return n;
}

// A packet that is not taken from the kernel waits there, and its sender is told to wait.
std::uint32_t twin_job::room_out() const {
  switch (around_.out) {
    case twin_way_out::by_desk:
      return around_.desk->room_to_send();
    case twin_way_out::by_queue:
      return around_.to_port->has_room_for(packets_a_poll) ? packets_a_poll : 0;
    case twin_way_out::nowhere:
      return packets_a_poll;
  }
  return 0;
}

void twin_job::send(std::span<rte_mbuf*> packets, tick const& t) {
  if (around_.out == twin_way_out::nowhere) return drop(packets, counters_.no_tx_queue);
  auto const leaving = let_leave(around_.departures, packets, around_.link->port());
  drop(packets.subspan(leaving), counters_.rule_drop);
  packets = packets.first(leaving);
  if (around_.out == twin_way_out::by_queue) return send_by_queue(packets, t);
  for (auto& packet : packets) {
    if (!around_.desk->send(*packet, around_.link->port(), control_desk::sender::twin)) {
      drop({&packet, 1}, counters_.no_room);
    }
  }
}

void twin_job::send_by_queue(std::span<rte_mbuf*> packets, tick const& t) {
  auto& to = *around_.to_port;
  if (to.is_given_up()) return drop(packets, counters_.tx_full);  // left: this job gives up no port by itself
  auto const chained =
      std::stable_partition(packets.begin(), packets.end(), [&](auto const* packet) { return to.takes(*packet); });
  drop({chained, packets.end()}, counters_.tx_chained);
  show({packets.begin(), chained}, capture_stage::tx);
  counters_.sent.add(to.send({packets.begin(), chained}, t.now));
}

void twin_job::leave(port_id gone, cycles now) {
  if (around_.link->config().port != gone) return;
  has_left_ = true;
  if (auto& to = around_.to_port) drop(to->leave(now), counters_.tx_full);
}

void twin_job::rejoin(port_id back) {
  if (around_.link->config().port != back) return;
  has_left_ = false;
  if (auto& to = around_.to_port) to->rejoin();
}

void twin_job::give_up() {
  drop(to_host_.take_waiting(), counters_.shutdown_in);
  if (around_.to_port) drop(around_.to_port->take_waiting(), counters_.shutdown_out);
  std::array<rte_mbuf*, packets_a_poll> packets;
  while (auto const n = around_.link->take(packets)) drop(std::span{packets}.first(n), counters_.shutdown_in);
}

void twin_job::drop(std::span<rte_mbuf*> packets, telemetry::counter& why) {
  if (packets.empty()) return;
  hand_over(packets);  // to the thread that allocates them next
  rte_pktmbuf_free_bulk(packets.data(), static_cast<unsigned>(packets.size()));
  why.add(packets.size());
}

}  // namespace packetwarp
