// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "rdma/engine/engine_counters.h"
#include "rdma/engine/warp_copy.cuh"
#include "rdma/queue_pair_ref.h"

namespace packetwarp::rdma::device {

inline constexpr std::uint32_t engine_threads = 512;
inline constexpr std::uint32_t engine_warps = engine_threads / lanes;

// The state of a queue, which the threads of its block share.
struct engine_room {
  std::uint64_t doorbell;     // as it was last seen
  std::uint64_t end;          // positions that were committed
  std::uint64_t next;         // the first position of the batch
  std::uint64_t produced;     // CQEs
  std::uint32_t unread;       // CQEs that the poster had not read when the batch began
  std::uint32_t count;        // WQEs of the batch
  std::uint32_t first_error;  // of the batch; count without one
  std::uint32_t in_error;
  std::uint32_t is_overrun;
  std::uint32_t is_stopped;
  std::uint32_t is_record_awaited;  // the record brought nothing when it was last read
  std::uint32_t completions[engine_warps];
};

// A block that serves one queue.
class block_engine {
 public:
  __device__ block_engine(queue_parts const& parts, region_table_ref regions, cuda::thread_scope acquired,
                          cuda::thread_scope released, std::uint32_t const* stop, engine_room& room)
      : parts_{parts},
        regions_{regions},
        acquire_{cuda::memory_order_acquire, acquired},
        release_{cuda::memory_order_release, released},
        stop_{stop},
        room_{room} {}

  __device__ void run() {
    if (threadIdx.x == 0) room_ = engine_room{};
    for (std::uint32_t idle = 0;; ++idle) {
      __syncthreads();
      if (threadIdx.x == 0) begin_batch(idle);
      __syncthreads();
      if (room_.count != 0) {
        serve_batch();
        idle = 0;
      } else if (room_.is_stopped != 0) {
        return;
      }
    }
  }
  [[nodiscard]] __device__ engine_counters const& counters() const { return counters_; }

 private:
  static constexpr std::uint32_t idle_rounds_per_stop = 64;  // the stop word is in host memory

  __device__ void begin_batch(std::uint32_t idle) {
    if (room_.next == room_.end) look_at_doorbell();
    auto const left = room_.end - room_.next;
    room_.count = static_cast<std::uint32_t>(left < engine_threads ? left : engine_threads);
    room_.first_error = room_.is_overrun != 0 ? 0 : room_.count;
    if (room_.count != 0) {
      auto const read = big(detail::load(*parts_.completion_record));
      room_.unread = (static_cast<std::uint32_t>(room_.produced) - read) & consumer_mask;
    } else if (idle % idle_rounds_per_stop == 0) {
      room_.is_stopped = detail::load(*stop_);
    }
  }

  __device__ void look_at_doorbell() {
    auto const rung = detail::load(*parts_.doorbell);
    bool const is_new = rung != room_.doorbell;
    if (!is_new && (room_.is_record_awaited == 0 || !has_record_changed())) return;
    detail::load_fence(acquire_);
    room_.doorbell = rung;
    if (is_new) ++counters_.doorbells;
    auto const record = static_cast<std::uint16_t>(big(detail::load(*parts_.send_record)));
    // The record may be a later group's, whose WQEs it then brings.
    detail::load_fence(acquire_);
    auto const ahead = static_cast<std::uint16_t>(record - static_cast<std::uint16_t>(room_.next));
    room_.is_record_awaited = ahead == 0 ? 1 : 0;
    if (ahead <= parts_.size) {
      room_.end = room_.next + ahead;
    } else if (room_.in_error == 0) {
      ++counters_.queue_overruns;
      room_.is_overrun = 1;
      room_.end = room_.next + 1;
    }
  }

  // The doorbell may have been rung before the record was written, and with the same value after it (queue_consumer.h).
  [[nodiscard]] __device__ bool has_record_changed() const {
    auto const record = static_cast<std::uint16_t>(big(detail::load(*parts_.send_record)));
    return record != static_cast<std::uint16_t>(room_.next);
  }

  __device__ void serve_batch() {
    auto const n = threadIdx.x;
    auto const position = room_.next + n;
    bool const is_there = n < room_.count;
    auto write = is_there && room_.in_error == 0 && room_.is_overrun == 0 ? check(position) : checked_write{};
    if (write.status != work_status::done) atomicMin(&room_.first_error, n);
    __syncthreads();
    auto const first_error = room_.in_error != 0 ? 0 : room_.first_error;
    if (n >= first_error) write.bytes = 0;
    copy_by_warp(write.to, write.from, write.is_inline ? 0 : write.bytes);
    if (__syncthreads_or(write.is_inline && write.bytes != 0)) store_inline(write);
    if (n < first_error) {
      ++counters_.writes;
      counters_.bytes += write.bytes;
    }
    complete_batch(position, is_there, result_of(n, first_error, write), write.wants_completion);
  }

  [[nodiscard]] __device__ checked_write check(std::uint64_t position) const {
    auto const& entry = parts_.entries[position & (parts_.size - 1)];
    auto const copy = entry;
    auto made = check_write(copy, position, parts_.number, regions_);
    // Not out of the copy, which is then in registers.
    if (made.is_inline) made.from = reinterpret_cast<std::byte const*>(&entry) + inline_at;
    return made;
  }

  [[nodiscard]] __device__ work_status result_of(std::uint32_t n, std::uint32_t first_error,
                                                 checked_write const& write) const {
    if (n < first_error) return work_status::done;
    if (room_.in_error != 0 || n > first_error) return work_status::flushed;
    return room_.is_overrun != 0 ? work_status::local_operation_error : write.status;
  }

  // Inline writes, in the order of the queue. Called by all threads.
  __device__ void store_inline(checked_write const& write) {
    auto const mine = write.is_inline && write.bytes != 0;
    for (std::uint32_t warp = 0; warp < engine_warps; ++warp) {
      if (threadIdx.x / lanes == warp) {
        for (auto left = __ballot_sync(0xffff'ffffU, mine); left != 0; left &= left - 1) {
          if (__ffs(static_cast<int>(left)) - 1 == static_cast<int>(threadIdx.x % lanes)) store_one(write);
          __syncwarp();
        }
      }
      __syncthreads();
    }
  }
  __device__ void store_one(checked_write const& write) const {
    if (is_one_word(write)) {
      std::uint64_t value = 0;
      memcpy(&value, write.from, sizeof value);
      detail::store_after(*reinterpret_cast<std::uint64_t*>(write.to), value, release_);
    } else {
      for (std::uint32_t i = 0; i < write.bytes; ++i) write.to[i] = write.from[i];
    }
  }

  // CQEs: of WQEs that ask for one, and of all that have an error. Called by all threads.
  __device__ void complete_batch(std::uint64_t position, bool is_there, work_status status, bool is_asked) {
    bool const wants = is_there && (is_asked || status != work_status::done);
    auto const warp = threadIdx.x / lanes;
    auto const wanting = __ballot_sync(0xffff'ffffU, wants);
    if (threadIdx.x % lanes == 0) room_.completions[warp] = static_cast<std::uint32_t>(__popc(wanting));
    __syncthreads();
    auto before = static_cast<std::uint32_t>(__popc(wanting & ((1U << threadIdx.x % lanes) - 1)));
    std::uint32_t all = 0;
    for (std::uint32_t i = 0; i < engine_warps; ++i) {
      if (i < warp) before += room_.completions[i];
      all += room_.completions[i];
    }
    auto const room = room_.unread < parts_.size ? parts_.size - room_.unread : 0;
    if (is_there && status != work_status::done) counters_.count_error(status);
    if (wants && before < room) {
      write_completion(room_.produced + before, position, status);
    } else if (wants) {
      ++counters_.completion_overruns;
    }
    __syncthreads();
    if (threadIdx.x == 0) end_batch(all, room);
  }

  __device__ void write_completion(std::uint64_t number, std::uint64_t position, work_status status) {
    auto& entry = parts_.completions[number & (parts_.size - 1)];
    detail::store(entry.words[syndrome_at], syndrome_word(status));
    completion_tail const tail{position, parts_.number, status == work_status::done ? completion_ok : completion_error,
                               (number & parts_.size) == 0 ? 0U : 1U};
    // After the bytes of all threads: the fence is cumulative over the block's barrier.
    detail::store_after(entry.tail, tail.raw(), release_);
    ++counters_.completions;
  }

  __device__ void end_batch(std::uint32_t completions, std::uint32_t room) {
    if (room_.first_error < room_.count || completions > room) room_.in_error = 1;
    room_.produced += completions < room ? completions : room;
    room_.next += room_.count;
    room_.is_overrun = 0;
  }

  queue_parts parts_;
  region_table_ref regions_;
  ordering acquire_;
  ordering release_;
  std::uint32_t const* stop_;
  engine_room& room_;
  engine_counters counters_{};
};

}  // namespace packetwarp::rdma::device
