// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/error.h"

namespace packetwarp {

// "an illegal memory access was encountered (cudaErrorIllegalAddress)"
[[nodiscard]] inline std::string to_string(cudaError_t error) {
  return fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
}

// For set-up: throws failure when a call failed. step: "pinning 4 MiB of host memory".
inline void require_cuda(cudaError_t result, std::string_view step) {
  if (result == cudaSuccess) return;
  (void)cudaGetLastError();  // otherwise the next call would report this error again
  throw failure(fmt::format("GPU: {} failed: {}", step, to_string(result)));
}

}  // namespace packetwarp
