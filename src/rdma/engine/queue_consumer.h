// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rdma/engine/engine_counters.h"
#include "rdma/queue_pair_ref.h"

namespace packetwarp::rdma {

// An engine's side of a send queue and its completion queue on a CPU. It reads the queue as a ConnectX does: the
// doorbell tells it that there is work, the doorbell record up to where, and it reads no WQE beyond that. For one
// thread.
class queue_consumer {
 public:
  explicit queue_consumer(queue_parts const& parts) : parts_{parts} {}
  // A queue that has gone through so many WQEs and CQEs already.
  queue_consumer(queue_parts const& parts, std::uint64_t executed, std::uint64_t produced)
      : parts_{parts}, end_{executed}, next_{executed}, produced_{produced} {}

  enum class news : std::uint8_t { none, doorbell, overrun };
  // Reads the doorbell. overrun: the record lies beyond the queue, and tells nothing.
  news look();

  [[nodiscard]] bool has_entry() const { return next_ != end_; }
  [[nodiscard]] std::uint64_t position() const { return next_; }
  // Has a WQE after position() fetched, if it was committed: a GPU wrote it into memory that no cache of this CPU has.
  void look_ahead(std::uint64_t by) const {
    if (by < end_ - next_) __builtin_prefetch(&parts_.entries[(next_ + by) & (parts_.size - 1)]);
  }
  // A copy of the WQE at position(), because the poster could change an entry after a check; the next one follows.
  [[nodiscard]] work_queue_entry take() { return parts_.entries[next_++ & (parts_.size - 1)]; }
  // Passes over a position that no WQE is known of, and returns it.
  [[nodiscard]] std::uint64_t skip();
  // Writes the CQE of a position. False if there is no room, because the poster reads none.
  [[nodiscard]] bool complete(std::uint64_t position, work_status status);

  [[nodiscard]] std::uint32_t queue_number() const { return parts_.number; }
  [[nodiscard]] std::uint32_t size() const { return parts_.size; }
  // All but `writes` and `bytes` are counted here.
  [[nodiscard]] engine_counters& counters() { return counters_; }
  [[nodiscard]] engine_counters const& counters() const { return counters_; }

 private:
  queue_parts parts_;
  std::uint64_t doorbell_{};  // as it was last seen
  std::uint64_t end_{};       // positions that were committed
  std::uint64_t next_{};      // the position that is taken next
  std::uint64_t produced_{};  // CQEs
  engine_counters counters_;
};

}  // namespace packetwarp::rdma
