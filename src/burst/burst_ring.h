// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "burst/burst.h"
#include "burst/epoch.h"
#include "burst/outcome.h"

namespace packetwarp {

// A cursor of a ring, on a cache line of its own. Cursors count bursts since the start, so they never wrap in a
// lifetime; a slot's index is the count modulo the (power of two) number of slots.
struct alignas(64) ring_cursor {
  std::uint64_t value;
};
static_assert(sizeof(ring_cursor) == 64 && std::is_trivially_copyable_v<ring_cursor>);

// Whether a ring has memory for the first bytes of its packets as they were received (kept_headers.h).
enum class received_headers : std::uint8_t { left, kept };

// Fixed slots of bursts shared by one RX job, one executor and one TX job, on the same or on separate threads. Bursts
// finish in any order and are drained in the order of their arrival, so the order of packets is kept.
//
//   RX job   open() -> fill -> publish()            until open() gives nothing: the ring is full
//   executor next_ready() -> take() -> process -> finish()
//   TX job   next_done() -> send -> release()
//
// publish, finish and release are release stores; open, next_ready and next_done acquire what they hand over. No call
// blocks or allocates.
class burst_ring {
 public:
  // slots: a power of two. capacity: packets per burst, 1 to max_burst_size. Throws usage_error otherwise.
  burst_ring(std::uint32_t slots, std::uint32_t capacity, received_headers headers = received_headers::left);
  burst_ring(burst_ring const&) = delete;
  burst_ring& operator=(burst_ring const&) = delete;

  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint32_t slots() const { return mask_ + 1; }

  // RX job: the slot being filled, or nullptr when every slot is in use. The same slot until it is published.
  [[nodiscard]] burst* open() {
    if (head_ - cached_tail_ > mask_) {
      cached_tail_ = atomic(tail_).load(cuda::memory_order_acquire);
      if (head_ - cached_tail_ > mask_) return nullptr;
    }
    return &bursts_[head_ & mask_];
  }
  // RX job: hands the open slot to the executor. epoch: see epoch_clock.h.
  void publish(epoch_number epoch = first_epoch) {
    auto& open = bursts_[head_ & mask_];
    open.sequence = head_;
    open.epoch = epoch;
    ++head_;
    atomic(published_).store(head_, cuda::memory_order_release);
  }
  // RX job: the number of bursts published since the start, which is the position of the open slot.
  [[nodiscard]] std::uint64_t published() const { return head_; }
  // RX job: whether all bursts before this position are released. The RX job then sees all that was written before.
  [[nodiscard]] bool has_released(std::uint64_t position) {
    if (cached_tail_ < position) cached_tail_ = atomic(tail_).load(cuda::memory_order_acquire);
    return cached_tail_ >= position;
  }
  // RX job: whether fewer than this many bursts are published and not yet released.
  [[nodiscard]] bool has_fewer_than(std::uint64_t bursts) {
    if (head_ - cached_tail_ >= bursts) cached_tail_ = atomic(tail_).load(cuda::memory_order_acquire);
    return head_ - cached_tail_ < bursts;
  }

  // Executor: the next published burst that it has not taken, or nullptr.
  [[nodiscard]] burst* next_ready() {
    if (taken_ == cached_published_) {
      cached_published_ = atomic(published_).load(cuda::memory_order_acquire);
      if (taken_ == cached_published_) return nullptr;
    }
    return &bursts_[taken_ & mask_];
  }
  // Executor: the number of published bursts that it has not taken.
  [[nodiscard]] std::uint64_t ready() {
    cached_published_ = atomic(published_).load(cuda::memory_order_acquire);
    return cached_published_ - taken_;
  }
  // Executor: takes the burst of next_ready(); several may be taken before the first is finished.
  void take() { ++taken_; }
  // Executor: the oldest taken burst that is not finished; one must exist. This function and finish() may run on
  // another thread than next_ready() and take(), after that thread has told of the burst.
  [[nodiscard]] burst& oldest_taken() { return bursts_[executed_ & mask_]; }
  // Executor: gives the oldest taken burst to the TX job.
  void finish(burst_outcome outcome) {
    auto const word = (std::uint64_t{outcome.raw()} << 32) | static_cast<std::uint32_t>(executed_ + 1);
    atomic(done_[executed_ & mask_].value).store(word, cuda::memory_order_release);
    ++executed_;
  }

  // TX job: the oldest burst, once it is finished, or nullptr.
  [[nodiscard]] burst* next_done() {
    auto const word = atomic(done_[drained_ & mask_].value).load(cuda::memory_order_acquire);
    if (static_cast<std::uint32_t>(word) != static_cast<std::uint32_t>(drained_ + 1)) return nullptr;
    outcome_ = burst_outcome::from_raw(static_cast<std::uint32_t>(word >> 32));
    return &bursts_[drained_ & mask_];
  }
  // TX job: the executor's outcome for the burst that next_done() last returned.
  [[nodiscard]] burst_outcome outcome() const { return outcome_; }
  // TX job: frees the slot of next_done() for the RX job.
  void release() {
    bursts_[drained_ & mask_].size = 0;
    bursts_[drained_ & mask_].has_chained = false;
    ++drained_;
    atomic(tail_).store(drained_, cuda::memory_order_release);
  }

 private:
  using word_ref = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;
  [[nodiscard]] static word_ref atomic(std::uint64_t& word) { return word_ref{word}; }
  [[nodiscard]] static word_ref atomic(ring_cursor& cursor) { return word_ref{cursor.value}; }

  std::uint32_t mask_;
  std::uint32_t capacity_;
  std::unique_ptr<rte_mbuf*[]> packets_;
  std::unique_ptr<verdict[]> verdicts_;
  std::unique_ptr<kept_line[]> header_lines_;  // of kept headers; empty: none are kept
  std::unique_ptr<std::uint8_t[]> header_lengths_;
  std::vector<burst> bursts_;
  std::vector<done_word> done_;

  alignas(64) ring_cursor published_{};
  alignas(64) ring_cursor tail_{};
  // Each role's private cursor is on a line of its own, so that it does not bounce between cores.
  alignas(64) std::uint64_t head_{};
  std::uint64_t cached_tail_{};
  alignas(64) std::uint64_t taken_{};
  std::uint64_t cached_published_{};
  alignas(64) std::uint64_t executed_{};
  alignas(64) std::uint64_t drained_{};
  burst_outcome outcome_{burst_outcome::mixed()};
};

}  // namespace packetwarp
