// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/gpu/device/stint.h"
#include "executor/gpu/device/tables.cuh"
#include "executor/gpu/device/unit.cuh"
#include "executor/gpu/joint/rooms.h"

namespace packetwarp::device {

// A stint ends after this many polls without a burst, one trip over PCIe each.
inline constexpr unsigned looks_in_vain = 64;

// Waits for bursts from `next` on; returns the position after the last burst that the stint may take, or `next` if it
// must end. looks: polls without a burst. must_end: whether the stint ends for another reason.
[[nodiscard]] __device__ std::uint64_t look_for_bursts(offload_ring_ref const& ring, std::uint64_t next,
                                                       std::uint64_t limit, unsigned looks, auto const& must_end) {
  if (next >= limit) return next;
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> const given{ring.control[blockIdx.x].given};
  for (unsigned look = 0; look < looks && !must_end(); ++look) {
    auto const seen = given.load(cuda::memory_order_acquire);
    auto const count = seen & offload_control::count_mask;
    if (count > next && (seen & offload_control::stall) == 0) return count < limit ? count : limit;
    if ((seen & offload_control::stop) != 0) break;
  }
  return next;
}

// Works on the block's share of the bursts from `begin` to `end`: the units with the block's own numbers, one unit per
// warp.
template <packet_function F, packet_route Route>
__device__ __forceinline__ void run_share(offload_ring_ref const& ring, std::uint64_t begin, std::uint64_t end,
                                          typename F::ref const& tables) {
  auto const blocks = gridDim.x;
  auto const first = begin * ring.units;
  auto const to_own = (blocks + blockIdx.x - static_cast<std::uint32_t>(first % blocks)) % blocks;
  auto const warps = blockDim.x / warp_size;
  auto const step = static_cast<std::uint64_t>(blocks) * warps;
  for (auto of_block = first + to_own; of_block < end * ring.units; of_block += step) {
    auto const unit = of_block + threadIdx.x / warp_size * blocks;
    auto const [position, part] = place_of_unit(ring, unit);
    bool const is_there = position < end;
    if constexpr (goes_in_step<F>) {
      auto const work = is_there ? load_unit<F>(ring, position, part) : no_unit<F>();
      run_unit<F, Route>(ring, is_there ? position : no_position, part, work, tables);
    } else if (is_there) {
      run_unit<F, Route>(ring, position, part, load_unit<F>(ring, position, part), tables);
    }
  }
}

// Works on bursts as they are given, until none came for a while or the stint has had its number. Blocks poll
// independently and wait for no other. No block takes a burst beyond the stint's number, and all end soon after the
// first one: the bursts that a block has left wait for the next stint, which begins when all have ended. A block that
// went on as long as bursts come would keep them waiting until the ring is full.
template <packet_function F, packet_route Route>
__device__ __forceinline__ void work_for_stint(offload_ring_ref const& ring, stint_ref const& stint,
                                               typename F::ref const& tables) {
  __shared__ std::uint64_t end;
  auto& state = stint.states[blockIdx.x];
  auto const number = state.stints;
  auto const limit = stint.states[0].next[number % 2] + stint.bursts;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{*stint.begun}.store(number + 1,
                                                                                   cuda::memory_order_relaxed);
  }
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device> const left{stint.states[0].left};
  auto const another_has_left = [&left, number] { return left.load(cuda::memory_order_relaxed) > number; };
  for (auto next = state.next[number % 2];;) {
    if (threadIdx.x == 0) end = look_for_bursts(ring, next, limit, looks_in_vain, another_has_left);
    __syncthreads();
    auto const to = end;
    __syncthreads();
    if (to == next) break;
    run_share<F, Route>(ring, next, to, tables);
    next = to;
  }
  if (threadIdx.x != 0) return;
  left.store(number + 1, cuda::memory_order_relaxed);
  state.next[(number + 1) % 2] = end;
  state.stints = number + 1;
}
template <packet_function F, packet_route Route>
__global__ void __launch_bounds__(threads_of_block(executor_kind::graph, facts_of<F>), 1)
    run_stint(offload_ring_ref ring, stint_ref stint, kernel_tables<F> tables) {
  work_for_stint<F, Route>(ring, stint, tables_of<F>(tables));
}
// See kernels.cuh.
template <packet_function F, packet_route Route>
__global__ void __launch_bounds__(threads_of_block(executor_kind::graph, facts_of<F>), 1)
    run_stint_in_place(offload_ring_ref ring, stint_ref stint, __grid_constant__ kernel_tables<F> const tables) {
  work_for_stint<F, Route>(ring, stint, tables_of<F>(tables));
}

}  // namespace packetwarp::device
