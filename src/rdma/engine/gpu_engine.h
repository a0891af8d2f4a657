// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <memory>
#include <span>

#include "rdma/engine/engine_counters.h"
#include "rdma/queue_pair_ref.h"
#include "rdma/region_table.h"

namespace packetwarp::rdma {

// The scopes of an engine's fences. queues: device if queues, sources and posting threads are all in its GPU, otherwise
// system. targets: likewise of targets and their readers; a target may be of a second GPU, which the engine's GPU
// reaches (peer_access).
struct engine_scopes {
  constexpr engine_scopes(cuda::thread_scope both) : queues{both}, targets{both} {}
  constexpr engine_scopes(cuda::thread_scope of_queues, cuda::thread_scope of_targets)
      : queues{of_queues}, targets{of_targets} {}
  cuda::thread_scope queues;
  cuda::thread_scope targets;
};

// Engine `gpu`: a kernel with a block per queue, which runs until it is stopped. It reads queues, and moves bytes, in
// its GPU's memory, in pinned host memory and in the memory of GPUs that its own reaches.
//
// A batch is up to a block's threads of WQEs, which are executed together. If plain writes of a batch overlap, the last
// one need not win. Inline writes, and so signals, are executed after all earlier writes, in order.
class gpu_engine {
 public:
  // The queues' memory and that of the regions outlive it; the GPU is open (open_gpu). Throws usage_error for more
  // queues than blocks run at a time, failure.
  gpu_engine(int gpu, std::span<queue_parts const> queues, std::span<region const> regions, engine_scopes scopes);
  gpu_engine(gpu_engine const&) = delete;
  gpu_engine& operator=(gpu_engine const&) = delete;
  ~gpu_engine();

  // Ends the kernel; work that was committed is then done. Throws failure if the kernel does not end within seconds.
  void stop();
  // The sum over all queues, after stop().
  [[nodiscard]] engine_counters counters() const;

 private:
  struct kernel_state;
  std::unique_ptr<kernel_state> state_;
};

}  // namespace packetwarp::rdma
