// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "executor/gpu/device/tables.cuh"
#include "executor/gpu/device/unit.cuh"
#include "executor/gpu/joint/batch.h"
#include "function/chain.h"

namespace packetwarp {

// A stage with has_own_kernels defines their launch by a specialization with
//
//   static void launch(cudaStream_t stream, stage_batch<typename S::room> batch, typename S::ref const& tables)
//
// which puts kernels that do the work of every group into the stream: its own, or a library's. It is called while the
// stream is captured into a graph, so it makes no call that a capture forbids; tables are as they were when the
// executor was made. It may also have either of
//
//   static std::size_t bytes_beside(std::uint32_t groups)    memory that a batch of as many groups has beside its
//   rooms;
//                                                            it starts as zeroes, and keeps its content between batches
//   static cudaError_t prepare(gpu_bounds const& gpu, typename S::ref const& tables)    once, before any launch: calls
//                                                                                       that a capture forbids
template <class S>
struct own_kernels;

template <class S>
concept has_memory_beside = has_own_kernels<S> && requires(std::uint32_t groups) {
  own_kernels<S>::bytes_beside(groups);
};
template <class S>
concept is_prepared = has_own_kernels<S> && requires(gpu_bounds const& gpu, typename S::ref const& tables) {
  own_kernels<S>::prepare(gpu, tables);
};

namespace device {

template <packet_function F>
[[nodiscard]] __device__ room_list<typename F::room> rooms_of(batch_ref const& batch) {
  return {batch.rooms, room_bytes_of<F>};
}

// The source of a function's annotations when kernels of its own have done the work.
template <packet_function F>
class found_in_batch {
 public:
  __device__ found_in_batch(batch_ref const& batch, std::uint32_t unit) : batch_{batch}, unit_{unit} {}
  [[nodiscard]] __device__ typename F::annotation operator()(unsigned part, packet_view, packet_view, bool is_there,
                                                             auto const&) const {
    auto const& room = rooms_of<F>(batch_)[unit_ * packets_per_lane<F> + part];
    return is_there ? F::annotation_of(lane(), room) : typename F::annotation{};
  }

 private:
  batch_ref const& batch_;
  std::uint32_t unit_;
};

// Calls work(unit of the batch, position, unit of the burst) for this warp's share of the batch.
__device__ void for_units_of_warp(offload_ring_ref const& ring, batch_ref const& batch, auto const& work) {
  auto const begin = batch.state->begin;
  auto const units = static_cast<std::uint32_t>(batch.state->end - begin) * ring.units;
  auto const warps = gridDim.x * (blockDim.x / warp_size);
  for (auto n = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size; n < units; n += warps) {
    work(n, begin + n / ring.units, n % ring.units);
  }
}

// Gathers the packets' data in the rooms of their groups.
template <packet_function F, packet_route Route>
__global__ void gather_batch(offload_ring_ref ring, batch_ref batch, kernel_tables<F> tables) {
  for_units_of_warp(ring, batch, [&](std::uint32_t n, std::uint64_t position, std::uint32_t unit) {
    auto const work = load_unit<F>(ring, position, unit);
    auto const first = unit * unit_packets_of<F> + lane();
    auto const size = work.header.size();
    packet_view views[packets_per_lane<F>];
    show_packets<F>(ring, position, first, work, views);
    unit_staging<Route, packets_per_lane<F>> const staging{ring, position, first, size, views};
    auto const facts = work.facts();
    typename taken_for_burst<F>::type const in_force = taken_for_burst<F>::of(tables_of<F>(tables), facts);
#pragma unroll
    for (unsigned i = 0; i < packets_per_lane<F>; ++i) {
      auto const group = n * packets_per_lane<F> + i;
      bool const is_there = first + i * warp_size < size;
      near_headers<F> const headers{views[i], is_there};
      auto const packets = static_cast<unsigned>(__popc(__ballot_sync(whole_warp, is_there)));
      if (lane() == 0) {
        batch.packets[group] = packets;
        if constexpr (follows_epochs<F>) batch.epochs[group] = facts.epoch;
      }
      if (is_there) {
        F::gather(gathered_view<F>(views[i], headers.view()), lane(), in_force, rooms_of<F>(batch)[group]);
      }
      // From here on the headers' place is that of the next packets.
      __syncwarp();
    }
  });
}

// Gives packets their verdicts.
template <packet_function F, packet_route Route>
__global__ void finish_batch(offload_ring_ref ring, batch_ref batch, kernel_tables<F> tables) {
  for_units_of_warp(ring, batch, [&](std::uint32_t n, std::uint64_t position, std::uint32_t unit) {
    run_unit<F, Route>(ring, position, unit, load_unit<F>(ring, position, unit), tables_of<F>(tables),
                       found_in_batch<F>{batch, n});
  });
}

// The work of a stage without kernels of its own, in a chain with a stage that has some: one group per warp. Groups are
// of several bursts.
template <has_joint_work S>
__global__ void work_on_batch(stage_batch<typename S::room> batch, typename S::ref tables) {
  using in_force_type = typename taken_for_burst<S>::type;
  auto const for_groups = [&](auto const& in_force_for) {
    auto const warps = gridDim.x * (blockDim.x / warp_size);
    for (auto n = (blockIdx.x * blockDim.x + threadIdx.x) / warp_size; n < *batch.groups; n += warps) {
      if (batch.packets[n] != 0) S::work(warp_group{batch.packets[n]}, in_force_for(n), batch.rooms[n]);
    }
  };
  if constexpr (follows_epochs<S>) {
    for_groups(
        [&](std::uint32_t n) -> in_force_type { return taken_for_burst<S>::of(tables, {.epoch = batch.epochs[n]}); });
  } else {
    in_force_type const in_force = taken_for_burst<S>::of(tables, {});
    for_groups([&](std::uint32_t) -> in_force_type const& { return in_force; });
  }
}

}  // namespace device

// A stage's memory beside the rooms, in whole lines.
template <class S>
[[nodiscard]] std::size_t bytes_beside(std::uint32_t groups) {
  if constexpr (has_memory_beside<S>) {
    constexpr std::size_t line = 128;
    return (own_kernels<S>::bytes_beside(groups) + line - 1) / line * line;
  } else {
    return 0;
  }
}
template <class S>
[[nodiscard]] cudaError_t prepare_stage(gpu_bounds const& gpu, typename S::ref const& tables) {
  if constexpr (is_prepared<S>) return own_kernels<S>::prepare(gpu, tables);
  return cudaSuccess;
}
// A stage's part of each of a batch's rooms, at offset `at`.
template <has_joint_work S>
[[nodiscard]] stage_batch<typename S::room> batch_of(batch_ref const& batch, std::size_t at, std::size_t stride) {
  return {{batch.rooms + at, stride},
          batch.packets,
          batch.epochs,
          &batch.state->groups,
          batch.groups,
          batch.beside,
          batch.gpu};
}
template <class S>
void launch_stage(cudaStream_t stream, batch_ref const& batch, std::size_t at, std::size_t stride,
                  typename S::ref const& tables) {
  if constexpr (!has_joint_work<S>) {
    return;
  } else if constexpr (has_own_kernels<S>) {
    own_kernels<S>::launch(stream, batch_of<S>(batch, at, stride), tables);
  } else {
    constexpr auto warps = kernel_threads / gpu_warp_size;
    device::work_on_batch<S>
        <<<(batch.groups + warps - 1) / warps, kernel_threads, 0, stream>>>(batch_of<S>(batch, at, stride), tables);
  }
}

// The program's entries for it: launches the work of a function, or of all stages of a chain, one after the other.
template <packet_function F>
struct work_of {
  [[nodiscard]] static std::size_t beside(std::uint32_t groups) { return bytes_beside<F>(groups); }
  [[nodiscard]] static int prepare(gpu_bounds const& gpu, void const* tables) {
    return prepare_stage<F>(gpu, *static_cast<typename F::ref const*>(tables));
  }
  static void launch(cudaStream_t stream, batch_ref const& batch, void const* tables) {
    launch_stage<F>(stream, batch, 0, room_bytes_of<F>, *static_cast<typename F::ref const*>(tables));
  }
};
template <class... Stages>
struct work_of<chain<Stages...>> {
  using all = chain<Stages...>;
  [[nodiscard]] static std::size_t beside(std::uint32_t groups) { return (bytes_beside<Stages>(groups) + ...); }
  [[nodiscard]] static int prepare(gpu_bounds const& gpu, void const* tables) {
    auto const& refs = *static_cast<typename all::ref const*>(tables);
    auto result = cudaSuccess;
    (void)((result = prepare_stage<Stages>(gpu, refs.template of<Stages>()), result == cudaSuccess) && ...);
    return result;
  }
  static void launch(cudaStream_t stream, batch_ref const& batch, void const* tables) {
    auto const& refs = *static_cast<typename all::ref const*>(tables);
    auto of_stage = batch;
    ((launch_stage<Stages>(stream, of_stage, all::template offset_in_room<Stages>(), room_bytes_of<all>,
                           refs.template of<Stages>()),
      of_stage.beside += bytes_beside<Stages>(batch.groups)),
     ...);
  }
};

}  // namespace packetwarp
