// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "rdma/bandwidth/poster.h"

namespace packetwarp::rdma {

// The times of a queue in clocks of its multiprocessor.
struct block_times {
  std::uint64_t began_ns, ended_ns;
  std::uint64_t all, post, commit, flush, shortest;
  std::uint32_t iterations, status;
};

// Starts the loop in a kernel with a block per queue. All in GPU memory; times: one per queue.
[[nodiscard]] cudaError_t launch_write_bandwidth(posted_queue const* queues, std::uint32_t count, post_loop const& loop,
                                                 block_times* times, cudaStream_t stream);
// The same with a block per queue whose threads store into the target themselves, and a fence of loop.commit after each
// iteration's writes; the time to commit is 0.
[[nodiscard]] cudaError_t launch_store_bandwidth(posted_queue const* queues, std::uint32_t count, post_loop const& loop,
                                                 block_times* times, cudaStream_t stream);

}  // namespace packetwarp::rdma
