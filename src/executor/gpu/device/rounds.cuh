// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "executor/gpu/device/unit.cuh"
#include "executor/gpu/joint/warp_group.cuh"
#include "executor/gpu/offload/offload_ring.h"

namespace packetwarp::device {

// Units that a block has taken together.
struct taken_units {
  std::uint64_t first;
  std::uint32_t count;  // 0: no more will come
};

// By one lane: waits for units, and takes this block's share of the units that no block has taken, `most` at most.
[[nodiscard]] __device__ inline taken_units take_units(offload_ring_ref const& ring, std::uint32_t most) {
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> const word{ring.control[blockIdx.x].given};
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device> const taken{*ring.taken};
  for (;;) {
    // It empties the L1 cache, which no warp of the block needs at this time.
    auto const seen = word.load(cuda::memory_order_acquire);
    bool const stalled = (seen & offload_control::stall) != 0;
    auto const given = stalled ? 0 : (seen & offload_control::count_mask) * ring.units;
    for (auto first = taken.load(cuda::memory_order_relaxed); first < given;) {
      auto const share = (given - first + gridDim.x - 1) / gridDim.x;
      auto const count = static_cast<std::uint32_t>(share < most ? share : most);
      if (taken.compare_exchange_weak(first, first + count, cuda::memory_order_relaxed)) return {first, count};
    }
    if ((seen & offload_control::stop) != 0) return {0, 0};
  }
}

// A persistent kernel's work for a function that works in rounds (function.h), by all warps of a block. They wait for
// the next units together: no warp polls while others work, which took time from them and emptied their L1 cache, and
// a unit goes to the next block that has time.
template <packet_function F, packet_route Route>
__device__ __forceinline__ void run_in_rounds(offload_ring_ref const& ring, typename F::ref const& tables) {
  __shared__ taken_units of_block;
  auto const own = threadIdx.x / warp_size;
  for (;;) {
    if (threadIdx.x == 0) of_block = take_units(ring, blockDim.x / warp_size);
    __syncthreads();
    auto const taken = of_block;
    __syncthreads();
    if (taken.count == 0) return;
    auto work = no_unit<F>();
    auto position = no_position;
    std::uint32_t unit = 0;
    if (own < taken.count) {
      auto const place = place_of_unit(ring, taken.first + own);
      position = place.position;
      unit = place.unit;
      work = load_unit<F>(ring, position, unit);
    } else if (!goes_in_step<F>) {
      continue;
    }
    run_unit<F, Route>(ring, position, unit, work, tables);
  }
}

}  // namespace packetwarp::device
