// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"

// Executors send records to the master by a ring in memory that the host reads, one ring per pipeline. An executor
// never waits: a record that finds no room is counted as lost.
namespace packetwarp {

// The ticket is written last, by a store that releases the rest: the record's number plus one.
template <class What>
struct ring_record {
  What what;
  std::uint64_t ticket;
};

// The cursors lie where executors count fast.
struct alignas(64) ring_cursors {
  std::uint64_t written;           // records that executors have begun, ever
  std::uint64_t lost;              // records that found no room
  alignas(64) std::uint64_t read;  // written by the master
};

// The host is one of the readers.
using ring_word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;

// Takes `count` places of a ring one after the other, only if there is room for all of them. Returns the number of the
// first one plus one; 0: there is no room.
[[nodiscard]] HOST_DEVICE inline std::uint64_t claim_places(ring_cursors& cursors, std::uint64_t places,
                                                            std::uint64_t count) {
  // Threads of the CPU, or of one GPU, claim places.
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device> const written{cursors.written};
  auto next = written.load(cuda::memory_order_relaxed);
  for (;;) {
    // Negative if others have claimed, and the master has read, since `next` was seen.
    auto const unread = static_cast<std::int64_t>(next - ring_word{cursors.read}.load(cuda::memory_order_acquire));
    if (unread + static_cast<std::int64_t>(count) > static_cast<std::int64_t>(places)) return 0;
    if (written.compare_exchange_weak(next, next + count, cuda::memory_order_acq_rel, cuda::memory_order_relaxed)) {
      return next + 1;
    }
  }
}

// A view of a record_journal for the packets of one pipeline. Valid as long as the journal.
template <class What>
struct record_ring_ref {
  ring_record<What>* records;
  ring_cursors* cursors;
  std::uint32_t record_mask;  // records - 1

  // A record takes a ticket only if the ring has room, so tickets in the ring have no gaps. Returns the record's
  // ticket; 0: it is lost. publish() has to follow.
  [[nodiscard]] HOST_DEVICE std::uint64_t claim() const {
    auto const ticket = claim_places(*cursors, std::uint64_t{record_mask} + 1, 1);
    if (ticket == 0) {
      cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device>{cursors->lost}.fetch_add(1,
                                                                                          cuda::memory_order_relaxed);
    }
    return ticket;
  }
  [[nodiscard]] HOST_DEVICE What& claimed(std::uint64_t ticket) const {
    return records[(ticket - 1) & record_mask].what;
  }
  HOST_DEVICE void publish(std::uint64_t ticket) const {
    ring_word{records[(ticket - 1) & record_mask].ticket}.store(ticket, cuda::memory_order_release);
  }

  // All three. Returns the record's ticket; 0: it is lost.
  HOST_DEVICE std::uint64_t write(What const& what) const {
    auto const ticket = claim();
    if (ticket == 0) return 0;
    claimed(ticket) = what;
    publish(ticket);
    return ticket;
  }
};

}  // namespace packetwarp
