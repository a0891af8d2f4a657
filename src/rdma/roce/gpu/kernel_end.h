// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>

#include "base/sleep.h"
#include "gpu/gpu.h"

namespace packetwarp::rdma::roce {

// A copy in GPU memory; of nothing, some bytes. Throws failure.
[[nodiscard]] inline device_memory kept_on_gpu(int gpu, std::span<std::byte const> bytes) {
  device_memory made{gpu, std::max<std::size_t>(bytes.size(), 16)};
  if (!bytes.empty()) made.write(0, bytes);
  return made;
}

// Waits for a kernel that was told to end; cudaErrorNotReady if it does not within seconds.
[[nodiscard]] inline cudaError_t await_end(cudaStream_t stream) {
  using namespace std::chrono_literals;
  auto const limit = std::chrono::steady_clock::now() + 5s;
  auto said = cudaErrorNotReady;
  while ((said = cudaStreamQuery(stream)) == cudaErrorNotReady && std::chrono::steady_clock::now() < limit)
    sleep_for(100us);
  return said;
}

}  // namespace packetwarp::rdma::roce
