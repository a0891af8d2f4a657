// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "executor/gpu/program.h"
#include "executor/gpu/stint.cuh"
#include "executor/gpu/unit.cuh"

namespace packetwarp::device {

// Works on `count` bursts from `first` on, a unit a warp, and ends.
template <packet_function F, packet_route Route>
__global__ void __launch_bounds__(batch_threads)
    run_batch(__grid_constant__ offload_ring_ref const ring, std::uint64_t first, std::uint32_t count,
              __grid_constant__ typename F::ref const tables) {
  auto const warp = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
  if (warp >= count * ring.units) return;
  auto const position = first + warp / ring.units;
  auto const unit = warp % ring.units;
  run_unit<F, Route>(ring, position, unit, load_unit(ring, position, unit), tables);
}

// Bursts behind the last given one that are looked for in their slots, not waiting to be told: what comes next is then
// found, and known, one trip over PCIe after it was given.
inline constexpr std::uint64_t on_deck = 2;

// What a block knows of the bursts that it has been given, in its shared memory.
struct block_knowledge {
  using word_ref = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_block>;

  std::uint64_t told;   // the CPU's word
  std::uint64_t found;  // bursts up to and with the last that a warp has found in its slot
};

// Waits for a burst. False when there will be none. All lanes.
//
// Only the first unit's warp looks into the slot: reads of one line wait for one another, and all that a multiprocessor
// reads over PCIe then waits behind them.
[[nodiscard]] __device__ inline bool await_unit(offload_ring_ref const& ring, std::uint64_t position,
                                                std::uint32_t unit, block_knowledge& of_block, unit_work& work) {
  block_knowledge::word_ref const told{of_block.told};
  block_knowledge::word_ref const found{of_block.found};
  for (;;) {
    // Lane 0's view for all: what lanes see of a word that changes may differ, and they must go the same way.
    auto const word = __shfl_sync(whole_warp, told.load(cuda::memory_order_acquire), 0);
    auto const count = __shfl_sync(whole_warp, found.load(cuda::memory_order_acquire), 0);
    __syncwarp();
    auto const given = max(word & offload_control::count_mask, count);
    bool const stalled = (word & offload_control::stall) != 0;
    if (given > position && !stalled) {
      work = load_unit(ring, position, unit);
      return true;
    }
    if ((word & offload_control::stop) != 0) return false;
    // No further ahead than the ring is long: a slot is then of this lap or of the last, which turns tell apart.
    bool const looks = unit == 0 && !stalled && given + on_deck > position && position - given <= ring.mask;
    if (!looks) {
      __nanosleep(20);
    } else if (try_load_first_unit(ring, position, work)) {
      if (lane() == 0) (void)found.fetch_max(position + 1, cuda::memory_order_release);
      return true;
    }
  }
}

// Hands the CPU's word on to a block's warps as it changes, read once per trip over PCIe, until it says to end. One
// lane.
__device__ inline void hand_on(offload_control& control, block_knowledge& of_block) {
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> const given{control.given};
  block_knowledge::word_ref const told{of_block.told};
  for (std::uint64_t word = 0; (word & offload_control::stop) == 0;) {
    // What a multiprocessor has in its cache is lost with every load that acquires.
    if (given.load(cuda::memory_order_relaxed) == word) continue;
    word = given.load(cuda::memory_order_acquire);
    told.store(word, cuda::memory_order_release);
  }
}

// Works on bursts as they are given, until told to stop. Blocks take bursts in turn; in each, warp 0 polls the CPU's
// word, and the others take units in turn.
template <packet_function F, packet_route Route>
__global__ void __launch_bounds__(polling_threads, 1)
    run_persistent(__grid_constant__ offload_ring_ref const ring, __grid_constant__ typename F::ref const tables) {
  __shared__ block_knowledge of_block;
  if (threadIdx.x == 0) of_block = {};
  __syncthreads();

  auto const warp = threadIdx.x / warp_size;
  if (warp == 0) {
    if (lane() == 0) hand_on(ring.control[blockIdx.x], of_block);
    return;
  }
  auto const workers = blockDim.x / warp_size - 1;
  std::uint64_t position = blockIdx.x;
  auto unit = warp - 1;
  for (unit_work work;; unit += workers) {
    // A division would take longer than all else here.
    for (; unit >= ring.units; unit -= ring.units) position += gridDim.x;
    if (!await_unit(ring, position, unit, of_block, work)) return;
    run_unit<F, Route>(ring, position, unit, work, tables);
  }
}

}  // namespace packetwarp::device

namespace packetwarp {

template <packet_function F, packet_route Route>
[[nodiscard]] gpu_program program_of() {
  return {.persistent = reinterpret_cast<void const*>(&device::run_persistent<F, Route>),
          .batch = reinterpret_cast<void const*>(&device::run_batch<F, Route>),
          .stint = reinterpret_cast<void const*>(&device::run_stint<F, Route>),
          .shared_bytes = has_stays_near<F> ? near_stride : 0};
}

template <packet_function F>
gpu_program make_gpu_program(typename F::ref const& tables, packet_route route) {
  auto made =
      route == packet_route::staged ? program_of<F, packet_route::staged>() : program_of<F, packet_route::direct>();
  static_assert(sizeof tables <= sizeof made.tables && alignof(typename F::ref) <= 16);
  std::memcpy(made.tables.data(), &tables, sizeof tables);
  return made;
}

}  // namespace packetwarp
