// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rdma/bandwidth/poster.h"

namespace packetwarp::rdma {

// The way of a kernel's writes: into queues, which an engine reads, or straight into the target (direct_put.h).
enum class put_way : std::uint8_t { queue, store };

// An initiator that is a kernel with a block per queue. It is made before a gpu engine is: GPU memory that is freed
// waits for all kernels, also those that run until they are stopped.
class gpu_poster {
 public:
  // For up to this many queues; the GPU is open (open_gpu). Throws usage_error without GPU code, failure.
  gpu_poster(int gpu, std::size_t most_queues, put_way way = put_way::queue);
  gpu_poster(gpu_poster const&) = delete;
  gpu_poster& operator=(gpu_poster const&) = delete;
  ~gpu_poster();

  // Runs the loop, and waits for its end. Throws failure.
  [[nodiscard]] std::vector<post_times> post(std::span<posted_queue const> queues, post_loop const& loop);

 private:
  struct kernel_memory;
  std::unique_ptr<kernel_memory> memory_;
};

}  // namespace packetwarp::rdma
