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
#include "rdma/roce/mailbox.h"
#include "rdma/roce/requester_room.h"

namespace packetwarp::rdma::roce {

// A queue whose requester is a block of a kernel.
struct lane_queue {
  queue_parts parts;
  lane_connection to;
  reliability how;
  std::uint32_t first_psn;
  mailbox* box;  // in pinned host memory
};

// The counters of a queue when its block has ended.
struct lane_counters {
  requester_counters sent{};
  engine_counters queue{};
};

// The kernel's work, in GPU memory. scope: device if the queues' memory and posting threads are all in this GPU.
struct served_requesters {
  lane_queue const* queues;
  lane_counters* counters;  // of each queue
  std::uint32_t count;
  region const* regions;
  std::uint32_t region_count;
  cuda::thread_scope scope;
  std::uint32_t mtu;          // the largest of all queues
  std::uint32_t most_writes;  // likewise
};

// Starts the kernel: a block per queue, all of which must run at a time, until the stop word of its mailbox is set.
[[nodiscard]] cudaError_t launch_serve_requesters(served_requesters const& work, cudaStream_t stream);
// How many blocks of it the current GPU runs at a time. Called before the launch.
[[nodiscard]] cudaError_t count_requester_blocks(std::uint32_t mtu, std::uint32_t most_writes, std::size_t& most);

}  // namespace packetwarp::rdma::roce
