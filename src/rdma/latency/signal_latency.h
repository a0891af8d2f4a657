// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "rdma/bandwidth/gpu_poster.h"
#include "rdma/latency/ping.h"
#include "rdma/latency/write_latency.h"

namespace packetwarp::rdma {

// An end of two kernels that write to each other alternately: bytes, and then a signal, which is the number of the
// write. The other end waits for the signal.
struct signal_loop {
  posted_queue queue{};         // parts: only of put_way::queue
  memory_place told_at{};       // the peer's signal
  std::uint64_t const* told{};  // this end's
  std::uint32_t bytes{};
  std::uint32_t iterations{};  // writes of each end
  ping_side side{ping_side::writes_first};
  put_way way{put_way::queue};
  patience limit{};  // of a wait for a signal of the peer, or for a completion
};

// Starts an end in a kernel of one block. clocks: of the times between two writes, `iterations` of them; both in GPU
// memory. Signals are 0 before both ends start.
[[nodiscard]] cudaError_t launch_signal_latency(signal_loop const& loop, std::uint64_t* clocks, ping_outcome* outcome,
                                                cudaStream_t stream);

}  // namespace packetwarp::rdma
