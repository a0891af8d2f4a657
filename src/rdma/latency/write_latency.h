// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "rdma/latency/ping.h"

namespace packetwarp::rdma {

// The report of the kernel: the time of all writes by both clocks, and the queue's end.
struct ping_outcome {
  std::uint64_t began_ns, ended_ns;
  std::uint64_t clocks;
  std::uint32_t status;
  std::uint32_t times;  // that were measured
};

// Starts the loop in a kernel of one thread. clocks: of the times between two writes, `iterations` of them; both in GPU
// memory. The queue, the source and the target are in memory that the GPU reaches.
[[nodiscard]] cudaError_t launch_write_latency(ping_loop const& loop, std::uint64_t* clocks, ping_outcome* outcome,
                                               cudaStream_t stream);

}  // namespace packetwarp::rdma
