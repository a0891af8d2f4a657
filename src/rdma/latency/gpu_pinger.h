// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "rdma/latency/ping.h"

namespace packetwarp::rdma {

// An end of ib_write_lat that is a kernel. It is made before kernels are started that run until they are stopped.
class gpu_pinger {
 public:
  static constexpr std::uint32_t most_iterations = 1 << 20;

  // The GPU is open (open_gpu). Throws usage_error without GPU code, failure.
  explicit gpu_pinger(int gpu);
  gpu_pinger(gpu_pinger const&) = delete;
  gpu_pinger& operator=(gpu_pinger const&) = delete;
  ~gpu_pinger();

  // Runs the loop of up to most_iterations, and waits for its end. Throws failure.
  [[nodiscard]] ping_times ping(ping_loop const& loop);

 private:
  struct kernel_memory;
  std::unique_ptr<kernel_memory> memory_;
};

}  // namespace packetwarp::rdma
