// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/bandwidth/poster.h"

namespace packetwarp::rdma {

// The end that writes first, and the one that answers each write.
enum class ping_side : std::uint8_t { writes_first, answers };

// The loop of perftest's ib_write_lat: the ends write to each other alternately. The last byte of a write is its
// number, and tells the other end that the write has arrived.
struct ping_loop {
  posted_queue queue{};
  std::uint64_t told{};  // the address of the last byte of the peer's writes
  std::uint32_t bytes{};
  std::uint32_t iterations{};  // writes of each end
  ping_side side{ping_side::writes_first};
  patience limit{};  // of a wait for a write of the peer, or for a completion
};

// The times between two writes of this end, in ns; status: waited_too_long also if a write of the peer did not come.
struct ping_times {
  std::vector<double> between{};
  work_status status{work_status::done};
};

}  // namespace packetwarp::rdma
