// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>

#include "base/sleep.h"

namespace packetwarp {

// Waits until a stream's work is done, and returns its outcome. For a thread that may wait as long as a driver likes:
// short work is polled without a rest, and longer work leaves the CPU to others.
[[nodiscard]] inline cudaError_t await_stream(cudaStream_t stream) {
  constexpr std::chrono::microseconds short_work{100};
  constexpr std::chrono::microseconds rest{100};
  auto const begun = std::chrono::steady_clock::now();
  for (;;) {
    if (auto const said = cudaStreamQuery(stream); said != cudaErrorNotReady) return said;
    if (std::chrono::steady_clock::now() - begun > short_work) sleep_for(rest);
  }
}

}  // namespace packetwarp
