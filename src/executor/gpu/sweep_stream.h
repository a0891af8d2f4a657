// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "executor/gpu/sweep.h"

namespace packetwarp {

// A stream of its own, so that a sweep waits for no executor.
struct gpu_sweeper::stream {
  int gpu{};
  cudaStream_t handle{};
  cudaError_t refused{cudaSuccess};  // by the last launch
};

}  // namespace packetwarp
