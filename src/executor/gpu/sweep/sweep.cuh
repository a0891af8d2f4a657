// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "executor/gpu/sweep/sweep_stream.h"
#include "gpu/await_stream.h"

namespace packetwarp {

namespace device {
// Few threads, which take long: executors need the GPU more.
inline constexpr unsigned sweep_blocks = 32;
inline constexpr unsigned sweep_threads = 256;

template <class Sweep>
__global__ void sweep(typename Sweep::ref tables, std::uint32_t count) {
  for (auto n = blockIdx.x * blockDim.x + threadIdx.x; n < count; n += gridDim.x * blockDim.x) {
    Sweep::visit(tables, n);
  }
}
}  // namespace device

template <class Sweep>
bool gpu_sweeper::start(typename Sweep::ref const& tables, std::uint32_t count) {
  return thread_.begin([with = stream_, tables, count] {
    with->error = cudaSetDevice(with->gpu);
    if (with->error != cudaSuccess) return;
    auto const needed = (count + device::sweep_threads - 1) / device::sweep_threads;
    auto const blocks = std::clamp(needed, 1U, device::sweep_blocks);
    device::sweep<Sweep><<<blocks, device::sweep_threads, 0, with->handle>>>(tables, count);
    with->error = cudaGetLastError();
    if (with->error == cudaSuccess) with->error = await_stream(with->handle);
  });
}

}  // namespace packetwarp
