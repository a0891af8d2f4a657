// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// A queue per block and a write per thread, as NVIDIA's text on GPUNetIO has it: every thread posts one RDMA write,
// thread 0 commits all of them and awaits their completion.
#include "rdma/queue_pair_ref.h"

using namespace packetwarp::rdma;

// local, remote: the memory of block 0; blocks' memory lies side by side. A queue has room for a block's writes.
__global__ void write_bandwidth(queue_parts const* queues, memory_place local, memory_place remote, std::uint32_t bytes,
                                int iterations) {
  whole_block const block;
  queue_pair_ref const queue{queues[blockIdx.x]};
  auto const at = std::uint64_t{blockIdx.x * blockDim.x + threadIdx.x} * bytes;
  for (int n = 0; n < iterations; ++n) {
    auto const slots = queue.reserve(block, block.size());
    if (slots.count == 0) return;  // the queue has failed: queue.status() says why
    queue.post_write(slots, threadIdx.x, local + at, remote + at, bytes);
    queue.commit(block, slots);
    if (queue.flush(block, slots) != work_status::done) return;
  }
}
