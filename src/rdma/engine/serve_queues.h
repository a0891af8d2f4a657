// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "rdma/engine/engine_counters.h"
#include "rdma/queue_pair_ref.h"
#include "rdma/region_table.h"

namespace packetwarp::rdma {

// The work of the gpu engine's kernel. All in GPU memory, except the stop word in pinned host memory: not 0 ends the
// kernel.
struct served_by_kernel {
  queue_parts const* queues;
  std::uint32_t queue_count;
  region const* regions;
  std::uint32_t region_count;
  cuda::thread_scope acquired;  // of the fence after a doorbell
  cuda::thread_scope released;  // of the fence before a CQE, or before a signal
  std::uint32_t const* stop;
  engine_counters* sum;
};

// Starts the kernel: a block per queue, all of which must run at a time.
[[nodiscard]] cudaError_t launch_serve_queues(served_by_kernel const& work, cudaStream_t stream);
// How many blocks of it the current GPU runs at a time.
[[nodiscard]] cudaError_t count_serving_blocks(std::size_t& most);

}  // namespace packetwarp::rdma
