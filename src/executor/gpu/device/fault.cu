// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda/atomic>

#include "executor/gpu/device/fault.h"

namespace packetwarp {
namespace {

__global__ void trap() { __trap(); }

__global__ void stall(offload_control* control) {
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> const given{control->given};
  while ((given.load(cuda::memory_order_relaxed) & offload_control::stop) == 0) __nanosleep(1000);
}

}  // namespace

cudaError_t launch_trap(cudaStream_t stream) {
  trap<<<1, 1, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t launch_stall(offload_control* control, cudaStream_t stream) {
  stall<<<1, 1, 0, stream>>>(control);
  return cudaGetLastError();
}

}  // namespace packetwarp
