// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "executor/gpu/device/rounds.cuh"
#include "executor/gpu/device/stint.cuh"
#include "executor/gpu/device/tables.cuh"
#include "executor/gpu/device/unit.cuh"
#include "executor/gpu/joint/own_kernels.cuh"
#include "executor/gpu/joint/second_work.cuh"
#include "executor/gpu/program.h"

namespace packetwarp::device {

// A kernel has the function's tables as a parameter, by value. If the function's code is copied into it, they are a
// __grid_constant__: all code reads them where they came, and a thread keeps no copy of them in its own memory. A
// function that makes calls keeps the copy: bursts of NAT44 take 2 us longer without it
// (docs/performance/gpu-latency.md).

// Works on `count` bursts from `first` on, one unit per warp.
template <packet_function F, packet_route Route>
__device__ __forceinline__ void work_on_batch(offload_ring_ref const& ring, std::uint64_t first, std::uint32_t count,
                                              typename F::ref const& tables) {
  auto const warp = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size;
  if (warp >= count * ring.units) return;
  auto const position = first + warp / ring.units;
  auto const unit = warp % ring.units;
  run_unit<F, Route>(ring, position, unit, load_unit<F>(ring, position, unit), tables);
}
template <packet_function F, packet_route Route>
__global__ void run_batch(offload_ring_ref ring, std::uint64_t first, std::uint32_t count, kernel_tables<F> tables) {
  work_on_batch<F, Route>(ring, first, count, tables_of<F>(tables));
}
template <packet_function F, packet_route Route>
__global__ void run_batch_in_place(offload_ring_ref ring, std::uint64_t first, std::uint32_t count,
                                   __grid_constant__ kernel_tables<F> const tables) {
  work_on_batch<F, Route>(ring, first, count, tables_of<F>(tables));
}

// For this many bursts after the last one that the CPU has announced, warps read the slots themselves without waiting
// for the announcement: a burst is then found, with its data, one trip over PCIe after the CPU wrote it.
inline constexpr std::uint64_t on_deck = 2;

// Waits for a burst. word: the block's copy of the CPU's. False when no more will come.
template <packet_function F>
[[nodiscard]] __device__ bool await_unit(offload_ring_ref const& ring, std::uint64_t position, std::uint32_t unit,
                                         cuda::atomic_ref<std::uint64_t, cuda::thread_scope_block> const& word,
                                         unit_work<F>& work) {
  for (;;) {
    // Lane 0's value for all lanes: each lane may read another value of a changing word, and all must take the same
    // branch.
    auto const seen = __shfl_sync(whole_warp, word.load(cuda::memory_order_acquire), 0);
    __syncwarp();
    auto const given = seen & offload_control::count_mask;
    bool const stalled = (seen & offload_control::stall) != 0;
    if (given > position && !stalled) {
      work = load_unit<F>(ring, position, unit);
      return true;
    }
    if ((seen & offload_control::stop) != 0) return false;
    // No further ahead than the ring is long: a slot is then of this lap or of the last, and its `turn` bit tells
    // which.
    if (!stalled && given + on_deck > position && position - given <= ring.mask) {
      if (try_load_unit<F>(ring, position, unit, work)) return true;
    } else {
      __nanosleep(20);
    }
  }
}

// In each block warp 0 polls the CPU's word, once per trip over PCIe, and hands it on to the other warps through shared
// memory; the warps take units in order.
template <packet_function F, packet_route Route>
__device__ void run_by_warps(offload_ring_ref const& ring, typename F::ref const& tables) {
  __shared__ std::uint64_t handed_on;
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_block> const word{handed_on};
  if (threadIdx.x == 0) handed_on = 0;
  __syncthreads();

  auto const warp = threadIdx.x / warp_size;
  if (warp == 0) {
    if (lane() != 0) return;
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> const given{ring.control[blockIdx.x].given};
    std::uint64_t seen = 0;
    while ((seen & offload_control::stop) == 0) {
      seen = given.load(cuda::memory_order_acquire);
      word.store(seen, cuda::memory_order_release);
    }
    return;
  }

  auto const workers = static_cast<std::uint64_t>(gridDim.x) * (blockDim.x / warp_size - 1);
  auto const first = static_cast<std::uint64_t>(warp - 1) * gridDim.x + blockIdx.x;
  unit_work<F> work;
  for (std::uint64_t n = first;; n += workers) {
    auto const [position, unit] = place_of_unit(ring, n);
    if (!await_unit<F>(ring, position, unit, word, work)) return;
    run_unit<F, Route>(ring, position, unit, work, tables);
  }
}

// Works on bursts as they are given, until told to stop.
template <packet_function F, packet_route Route>
__global__ void __launch_bounds__(threads_of_block(executor_kind::persistent, facts_of<F>), 1)
    run_persistent(offload_ring_ref ring, kernel_tables<F> tables) {
  run_by_warps<F, Route>(ring, tables_of<F>(tables));
}
template <packet_function F, packet_route Route>
__global__ void __launch_bounds__(threads_of_block(executor_kind::persistent, facts_of<F>), 1)
    run_persistent_in_place(offload_ring_ref ring, __grid_constant__ kernel_tables<F> const tables) {
  if constexpr (works_in_rounds<F>) {
    run_in_rounds<F, Route>(ring, tables_of<F>(tables));
  } else {
    run_by_warps<F, Route>(ring, tables_of<F>(tables));
  }
}

// The kernels of a function, as program_of() names them.
struct kernels {
  void const* batch;
  void const* persistent;
  void const* stint;
};
template <packet_function F, packet_route Route>
[[nodiscard]] kernels kernels_of() {
  if constexpr (is_copied<F>) {
    return {reinterpret_cast<void const*>(&run_batch_in_place<F, Route>),
            reinterpret_cast<void const*>(&run_persistent_in_place<F, Route>),
            reinterpret_cast<void const*>(&run_stint_in_place<F, Route>)};
  } else {
    return {reinterpret_cast<void const*>(&run_batch<F, Route>),
            reinterpret_cast<void const*>(&run_persistent<F, Route>),
            reinterpret_cast<void const*>(&run_stint<F, Route>)};
  }
}

}  // namespace packetwarp::device

namespace packetwarp {

template <packet_function F, packet_route Route>
[[nodiscard]] gpu_program program_of() {
  gpu_program made;
  made.name = F::name;
  made.unit_packets = unit_packets_of<F>;
  made.header_bytes = has_stays_near<F> ? near_stride : 0;
  if constexpr (has_own_kernels<F>) {
    made.own.gather = reinterpret_cast<void const*>(&device::gather_batch<F, Route>);
    made.own.beside = &work_of<F>::beside;
    made.own.prepare = &work_of<F>::prepare;
    made.own.work = &work_of<F>::launch;
    made.own.finish = reinterpret_cast<void const*>(&device::finish_batch<F, Route>);
    made.own.room_bytes = room_bytes_of<F>;
  } else {
    auto const kernels = device::kernels_of<F, Route>();
    made.persistent = kernels.persistent;
    made.batch = kernels.batch;
    made.stint = kernels.stint;
    made.persistent_threads = threads_of_block(executor_kind::persistent, facts_of<F>);
    made.stint_threads = threads_of_block(executor_kind::graph, facts_of<F>);
    made.room_bytes = shared_room_bytes_of<F>;
  }
  return made;
}

template <packet_function F>
gpu_program make_gpu_program(typename F::ref const& tables, packet_route route) {
  auto made =
      route == packet_route::staged ? program_of<F, packet_route::staged>() : program_of<F, packet_route::direct>();
  static_assert(alignof(typename F::ref) <= 16);
  if constexpr (device::has_far_tables<F>) {
    made.long_tables.resize(sizeof tables);
    std::memcpy(made.long_tables.data(), &tables, sizeof tables);
  } else {
    std::memcpy(made.tables.data(), &tables, sizeof tables);
  }
  return made;
}

}  // namespace packetwarp
