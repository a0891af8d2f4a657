// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/sleep.h"
#include "gpu/cuda_check.h"
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

// The reason why a kernel works no more although it was not told to end; empty while it works. whose: "requesters'".
[[nodiscard]] inline std::string trouble_of(int gpu, std::string_view whose, cudaStream_t stream) {
  auto const said = cudaStreamQuery(stream);
  if (said == cudaErrorNotReady) return {};
  return fmt::format("GPU {}: the {} kernel has ended: {}", gpu, whose,
                     said == cudaSuccess ? "it was not told to" : packetwarp::to_string(said));
}

}  // namespace packetwarp::rdma::roce
