// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>
#include <type_traits>

#include "rdma/engine/engine_counters.h"
#include "rdma/queue_pair_ref.h"

namespace packetwarp::rdma {

// The word by which an engine learns of WQEs: the doorbell, as a NIC, which looks at nothing else before, or the
// doorbell record. A poster's last fence and its store of the doorbell follow the record, so that the record tells
// sooner.
enum class told_by : std::uint8_t { doorbell, record };

// An engine's side of a send queue and its completion queue. It reads WQEs up to where the doorbell record tells, and
// none beyond that. For one thread, of a CPU or of a GPU; trivially copyable.
class queue_consumer {
 public:
  // scope: device if the queue, its poster and the engine are in the same GPU.
  HOST_DEVICE explicit queue_consumer(queue_parts const& parts, told_by how = told_by::doorbell,
                                      cuda::thread_scope scope = cuda::thread_scope_system)
      : parts_{parts},
        acquire_{cuda::memory_order_acquire, scope},
        release_{cuda::memory_order_release, scope},
        told_by_{how} {}
  // A queue that has gone through so many WQEs and CQEs already.
  queue_consumer(queue_parts const& parts, std::uint64_t executed, std::uint64_t produced) : queue_consumer{parts} {
    end_ = next_ = executed;
    produced_ = produced;
  }

  enum class news : std::uint8_t { none, entries, overrun };
  // Looks for WQEs, and counts doorbells. overrun: the record lies beyond the queue, and tells nothing. A poster may
  // ring the doorbell before it writes the record, and once more after it, as NVIDIA's device functions do: a record
  // that brings nothing is read again, since a poller sees two equal doorbells as one.
  HOST_DEVICE news look() {
    auto const rung = detail::load_before(*parts_.doorbell, acquire_);
    bool const is_new = rung != doorbell_;
    if (told_by_ == told_by::doorbell) {
      if (!is_new && is_record_awaited_ == 0) return news::none;
      detail::load_fence(acquire_);
    }
    doorbell_ = rung;
    if (is_new) ++counters_.doorbells;
    // The record counts entries in 16 bits. It may be a later group's, whose WQEs it then brings.
    auto const record = static_cast<std::uint16_t>(big(detail::load_before(*parts_.send_record, acquire_)));
    auto const ahead = static_cast<std::uint16_t>(record - static_cast<std::uint16_t>(next_));
    is_record_awaited_ = ahead == 0 ? 1 : 0;
    if (ahead == 0) return news::none;
    if (ahead > parts_.size) return news::overrun;
    detail::load_fence(acquire_);
    end_ = next_ + ahead;
    return news::entries;
  }

  [[nodiscard]] HOST_DEVICE bool has_entry() const { return next_ != end_; }
  [[nodiscard]] HOST_DEVICE std::uint64_t position() const { return next_; }
  // Has a WQE after position() fetched, if it was committed: a GPU wrote it into memory that no cache of this CPU has.
  void look_ahead(std::uint64_t by) const {
    if (by < end_ - next_) __builtin_prefetch(&parts_.entries[(next_ + by) & (parts_.size - 1)]);
  }
  // WQEs from position() on that were committed.
  [[nodiscard]] HOST_DEVICE std::uint64_t entries() const { return end_ - next_; }
  [[nodiscard]] HOST_DEVICE work_queue_entry const& entry(std::uint64_t position) const {
    return parts_.entries[position & (parts_.size - 1)];
  }
  // Passes over WQEs that were read by entry().
  HOST_DEVICE void advance(std::uint32_t by) { next_ += by; }
  // A copy of the WQE at position(), because the poster could change an entry after a check; the next one follows.
  [[nodiscard]] work_queue_entry take() { return parts_.entries[next_++ & (parts_.size - 1)]; }
  // Passes over a position that no WQE is known of, and returns it.
  [[nodiscard]] HOST_DEVICE std::uint64_t skip() {
    end_ = next_ + 1;
    return next_++;
  }
  // Writes the CQE of a position. False if there is no room, because the poster reads none.
  [[nodiscard]] HOST_DEVICE bool complete(std::uint64_t position, work_status status) {
    counters_.count_error(status);
    auto const read = big(detail::load_before(*parts_.completion_record, acquire_));
    detail::load_fence(acquire_);
    auto const unread = (static_cast<std::uint32_t>(produced_) - read) & consumer_mask;
    if (unread >= parts_.size) {
      ++counters_.completion_overruns;
      return false;
    }
    auto& entry = parts_.completions[produced_ & (parts_.size - 1)];
    auto const lap = (produced_ & parts_.size) == 0 ? 0U : 1U;
    ++produced_;
    ++counters_.completions;
    detail::store(entry.words[syndrome_at], syndrome_word(status));
    completion_tail const tail{position, parts_.number, status == work_status::done ? completion_ok : completion_error,
                               lap};
    detail::store_after(entry.tail, tail.raw(), release_);
    return true;
  }

  [[nodiscard]] HOST_DEVICE std::uint32_t queue_number() const { return parts_.number; }
  [[nodiscard]] HOST_DEVICE std::uint32_t size() const { return parts_.size; }
  // All but `writes` and `bytes` are counted here.
  [[nodiscard]] HOST_DEVICE engine_counters& counters() { return counters_; }
  [[nodiscard]] HOST_DEVICE engine_counters const& counters() const { return counters_; }

 private:
  queue_parts parts_;
  ordering acquire_;
  ordering release_;
  told_by told_by_;
  std::uint8_t is_record_awaited_{};  // 1: the record brought nothing when it was last read
  std::uint64_t doorbell_{};          // as it was last seen
  std::uint64_t end_{};               // positions that were committed
  std::uint64_t next_{};              // the position that is taken next
  std::uint64_t produced_{};          // CQEs
  engine_counters counters_;
};
static_assert(std::is_trivially_copyable_v<queue_consumer>);

}  // namespace packetwarp::rdma
