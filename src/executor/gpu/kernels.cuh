// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "executor/gpu/program.h"
#include "executor/gpu/unit.cuh"

namespace packetwarp::device {

// Works on `count` bursts from `first` on, a unit a warp, and ends.
template <packet_function F>
__global__ void run_batch(offload_ring_ref ring, std::uint64_t first, std::uint32_t count, typename F::ref tables) {
  auto const warp = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
  if (warp >= count * ring.units) return;
  run_unit<F>(ring, first + warp / ring.units, warp % ring.units, tables);
}

// Works on bursts as they are given, until told to stop. In each block warp 0 polls the CPU's word, once per trip over
// PCIe, and hands it on to the others through shared memory; they take units in turn.
template <packet_function F>
__global__ void __launch_bounds__(1024, 1) run_persistent(offload_ring_ref ring, typename F::ref tables) {
  __shared__ std::uint64_t handed_on;
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_block> const word{handed_on};
  if (threadIdx.x == 0) handed_on = 0;
  __syncthreads();

  auto const warp = threadIdx.x / warp_size;
  if (warp == 0) {
    if (lane() != 0) return;
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> const given{ring.control->given};
    std::uint64_t seen = 0;
    while ((seen & offload_control::stop) == 0) {
      seen = given.load(cuda::memory_order_acquire);
      word.store(seen, cuda::memory_order_release);
    }
    return;
  }

  auto const workers = static_cast<std::uint64_t>(gridDim.x) * (blockDim.x / warp_size - 1);
  auto const first = static_cast<std::uint64_t>(warp - 1) * gridDim.x + blockIdx.x;
  for (std::uint64_t unit = first;; unit += workers) {
    auto const position = unit / ring.units;
    std::uint64_t seen = word.load(cuda::memory_order_acquire);
    while ((seen & offload_control::count_mask) <= position || (seen & offload_control::stall) != 0) {
      if ((seen & offload_control::stop) != 0) return;
      __nanosleep(20);
      seen = word.load(cuda::memory_order_acquire);
    }
    run_unit<F>(ring, position, static_cast<std::uint32_t>(unit % ring.units), tables);
  }
}

}  // namespace packetwarp::device

namespace packetwarp {

template <packet_function F>
gpu_program make_gpu_program(typename F::ref const& tables) {
  gpu_program made{.persistent = reinterpret_cast<void const*>(&device::run_persistent<F>),
                   .batch = reinterpret_cast<void const*>(&device::run_batch<F>)};
  static_assert(sizeof tables <= sizeof made.tables && alignof(typename F::ref) <= 16);
  std::memcpy(made.tables.data(), &tables, sizeof tables);
  return made;
}

}  // namespace packetwarp
