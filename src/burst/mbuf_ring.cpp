// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/mbuf_ring.h"

#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include <array>

#include "base/error.h"
#include "base/thread/thread_sanitizer.h"

namespace packetwarp {
namespace {

// DPDK's ring code is inlined: ThreadSanitizer does not recognize how it orders its threads.
[[gnu::no_sanitize_thread]] std::uint32_t put_into(rte_ring& ring, std::span<rte_mbuf*> packets) {
  return rte_ring_enqueue_burst(&ring, reinterpret_cast<void**>(packets.data()), static_cast<unsigned>(packets.size()),
                                nullptr);
}
[[gnu::no_sanitize_thread]] std::uint32_t take_out_of(rte_ring& ring, std::span<rte_mbuf*> room) {
  return rte_ring_dequeue_burst(&ring, reinterpret_cast<void**>(room.data()), static_cast<unsigned>(room.size()),
                                nullptr);
}
[[gnu::no_sanitize_thread]] std::uint32_t free_places(rte_ring const& ring) { return rte_ring_free_count(&ring); }
[[gnu::no_sanitize_thread]] bool holds_nothing(rte_ring const& ring) { return rte_ring_empty(&ring) != 0; }

}  // namespace

mbuf_ring::mbuf_ring(std::string const& name, std::uint32_t packets, writers who) {
  unsigned const flags = RING_F_SC_DEQ | RING_F_EXACT_SZ | (who == writers::one ? RING_F_SP_ENQ : 0U);
  ring_.reset(rte_ring_create(name.c_str(), packets, SOCKET_ID_ANY, flags));
  if (!ring_) {
    throw failure(fmt::format("ring {} of {} packets could not be made: {}; give the EAL more memory", name, packets,
                              rte_strerror(rte_errno)));
  }
}

mbuf_ring::~mbuf_ring() {
  if (!ring_) return;
  std::array<rte_mbuf*, 32> left;
  while (auto const n = take(left)) rte_pktmbuf_free_bulk(left.data(), n);
}

std::uint32_t mbuf_ring::put(std::span<rte_mbuf*> packets) {
  hand_over(packets);
  return put_into(*ring_, packets);
}

std::uint32_t mbuf_ring::take(std::span<rte_mbuf*> room) {
  auto const n = take_out_of(*ring_, room);
  take_over(room.first(n));
  return n;
}

std::uint32_t mbuf_ring::room() const { return free_places(*ring_); }

bool mbuf_ring::is_empty() const { return holds_nothing(*ring_); }

}  // namespace packetwarp
