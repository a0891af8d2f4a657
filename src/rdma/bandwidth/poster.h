// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rdma/queue_pair_ref.h"

namespace packetwarp::rdma {

// The loop of perftest's ib_write_bw, as initiators run it: in each iteration `posts` writes are posted and committed,
// then their completion is awaited.
struct post_loop {
  std::uint32_t bytes{};  // of each write; write i moves the bytes from i x bytes on
  std::uint32_t posts{};
  std::uint32_t iterations{};
  patience limit{};
  ordering commit{release_to_system};
  ordering flush{acquire_from_system};
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
