// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "rdma/region_table.h"
#include "rdma/roce/frame.h"
#include "rdma/roce/inbox.h"
#include "rdma/roce/responder.h"

namespace packetwarp::rdma::roce {

// A queue whose responder is a block of a kernel.
struct request_queue {
  inbox* box;  // in pinned host memory
  std::uint32_t first_psn;
  std::uint32_t mtu;
  frame_pieces pieces;  // that frames have at most
};

// The counters of a queue when its block has ended.
struct request_counters {
  responder_counters received{};
  std::uint64_t bad_icrc{};
};

// The kernel's work, in GPU memory.
struct served_responders {
  request_queue const* queues;
  request_counters* counters;  // of each queue
  std::uint32_t count;
  region const* regions;
  std::uint32_t region_count;
  std::uint32_t mtu;  // the largest of all queues
};

// Starts the kernel: a block per queue, all of which must run at a time, until the stop word of its inbox is set.
[[nodiscard]] cudaError_t launch_serve_responders(served_responders const& work, cudaStream_t stream);
// How many blocks of it the current GPU runs at a time. Called before the launch.
[[nodiscard]] cudaError_t count_responder_blocks(std::uint32_t mtu, std::size_t& most);

}  // namespace packetwarp::rdma::roce
