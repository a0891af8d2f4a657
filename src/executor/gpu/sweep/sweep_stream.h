// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "executor/gpu/sweep/sweep.h"

namespace packetwarp {

// A stream of its own, so that a sweep waits for no executor. It belongs to the sweeping thread, which may outlive the
// sweeper.
struct gpu_sweeper::stream {
  explicit stream(int of_gpu);
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  ~stream();

  int gpu;
  cudaStream_t handle{};
  cudaError_t error{cudaSuccess};  // of the last sweep
};

}  // namespace packetwarp
