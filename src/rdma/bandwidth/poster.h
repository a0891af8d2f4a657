// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rdma/queue_pair_ref.h"

namespace packetwarp::rdma {

// The poster of writes: a CPU thread, or a kernel.
enum class initiator : std::uint8_t { cpu, gpu };

// The loop of perftest's ib_write_bw, as initiators run it: in each iteration `posts` writes are posted and committed,
// then their completion is awaited.
struct post_loop {
  std::uint32_t bytes{};  // of each write; write i moves the bytes from offset_of(i) on
  std::uint32_t posts{};
  std::uint32_t iterations{};
  patience limit{};
  ordering commit{release_to_system};
  ordering flush{acquire_from_system};
  // Bytes after which writes start again at the beginning; 0: each iteration starts there. A write longer than them
  // lies at the beginning.
  std::uint32_t cycle{};
  // The offset of write n, counted in its iteration, or with a cycle from the first iteration on.
  [[nodiscard]] HOST_DEVICE constexpr std::uint64_t offset_of(std::uint64_t n) const {
    if (cycle == 0) return n * bytes;
    return bytes == 0 || bytes > cycle ? 0 : n % (cycle / bytes) * bytes;
  }
};

// A queue of a loop.
struct posted_queue {
  queue_parts parts{};
  memory_place local{};
  memory_place remote{};
};

// The times of one queue, in ns: the sums over iterations, and the shortest iteration.
struct post_times {
  std::uint64_t began{};  // by the clock that all queues of an initiator share
  std::uint64_t ended{};
  double post{};
  double commit{};
  double flush{};
  double shortest{};
  std::uint32_t iterations{};  // that ended well
  work_status status{work_status::done};
};

}  // namespace packetwarp::rdma
