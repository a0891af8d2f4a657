// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "executor/gpu/joint/batch.h"
#include "executor/gpu/joint/own_kernels.cuh"
#include "executor/gpu/joint/warp_group.cuh"
#include "executor/gpu/joint/wide_network.h"
#include "function/network/room.h"
#include "function/network/words.h"
#include "function/second_work.h"

// The kernels of stages that work twice (function/second_work.h): one takes the first step for all groups and lists the
// rows that the wide network judges; the network's kernel (wide_network.h) and one that hands its scores out follow,
// and end at once if there are none.
namespace packetwarp {

struct second_work_state {
  wide_job job;            // of the batch, from the end of its first step on
  std::uint32_t version;   // as the job's network
  std::uint32_t listed;    // rows so far
  std::uint32_t pinned;    // the batch's version and 1; 0: no block has begun
  std::uint32_t finished;  // blocks
};

// The packets of a batch that go on to the wide network, with their rows and scores. A view of the memory that a batch
// has beside its rooms.
class second_work_list {
 public:
  [[nodiscard]] static std::size_t bytes(std::uint32_t groups) {
    return state_bytes + std::size_t{groups} * joint_packets * bytes_of_packet;
  }
  second_work_list(std::byte* memory, std::uint32_t groups)
      : state{reinterpret_cast<second_work_state*>(memory)}, most{groups * joint_packets} {
    rows = reinterpret_cast<std::int8_t*>(memory + state_bytes);
    scores = reinterpret_cast<std::int32_t*>(rows + std::size_t{most} * model::row_bytes);
    packets = reinterpret_cast<std::uint32_t*>(scores + std::size_t{most} * most_scores_by_group);
  }

  second_work_state* state;
  std::uint32_t most;
  std::int8_t* rows;       // [most][model::row_bytes]
  std::int32_t* scores;    // the network's outputs for each
  std::uint32_t* packets;  // the number of the packet's group x joint_packets + its own in the group

 private:
  static constexpr std::size_t state_bytes = 128;
  static constexpr std::size_t bytes_of_packet =
      model::row_bytes + most_scores_by_group * sizeof(std::int32_t) + sizeof(std::uint32_t);
  static_assert(sizeof(second_work_state) <= state_bytes);
};

namespace device {

using shared_word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;

// The tables that are in force when the batch's first block asks. Called by one thread of each block.
template <works_twice S>
[[nodiscard]] __device__ std::uint32_t pin_version(second_work_state& state, typename S::ref const& tables) {
  shared_word const pinned{state.pinned};
  std::uint32_t seen = pinned.load(cuda::memory_order_relaxed);
  if (seen != 0) return seen - 1;
  auto const wanted = S::version_in_force(tables) + 1;
  pinned.compare_exchange_strong(seen, wanted, cuda::memory_order_relaxed);
  return (seen == 0 ? wanted : seen) - 1;
}

// Adds the packets of a group, a bit each, to the list. Called by all lanes.
template <works_twice S>
__device__ void list_packets(second_work_list const& list, std::uint32_t packets, std::uint32_t group,
                             typename S::room const& room) {
  if (packets == 0) return;
  std::uint32_t first = 0;
  if (lane() == 0) {
    first = shared_word{list.state->listed}.fetch_add(static_cast<std::uint32_t>(__popc(packets)),
                                                      cuda::memory_order_relaxed);
  }
  first = __shfl_sync(whole_warp, first, 0);
  auto const bit = std::uint32_t{1} << lane();
  if ((packets & bit) == 0) return;
  auto const at = first + static_cast<std::uint32_t>(__popc(packets & (bit - 1)));
  list.packets[at] = group * joint_packets + lane();
  using network_parts::four_words;
  auto const* const row = S::row_of(lane(), room);
  auto* const to = list.rows + std::size_t{at} * model::row_bytes;
#pragma unroll
  for (unsigned i = 0; i < model::row_bytes; i += sizeof(four_words)) {
    *reinterpret_cast<four_words*>(to + i) = network_parts::read_words<four_words>(row + i);
  }
}

// Called by one thread of each block, after all threads of the block: the last one makes the job, and all is ready for
// the next batch.
template <works_twice S>
__device__ void finish_first_step(second_work_state& state, typename S::ref const& tables, std::uint32_t version) {
  if (shared_word{state.finished}.fetch_add(1, cuda::memory_order_acq_rel) + 1 != gridDim.x) return;
  state.job = {S::wide_network(tables, version), shared_word{state.listed}.load(cuda::memory_order_relaxed)};
  state.version = version;
  state.listed = 0;
  state.pinned = 0;
  state.finished = 0;
}

// The first step, a group per warp.
template <works_twice S>
__global__ void __launch_bounds__(kernel_threads)
    work_first(stage_batch<typename S::room> batch, second_work_list list, typename S::ref tables) {
  constexpr unsigned warps_of_block = kernel_threads / warp_size;
  __shared__ typename S::near_room near[warps_of_block];
  __shared__ std::uint32_t of_batch;
  if (threadIdx.x == 0) of_batch = pin_version<S>(*list.state, tables);
  __syncthreads();
  auto const version = of_batch;
  for (auto n = blockIdx.x * warps_of_block + threadIdx.x / warp_size; n < *batch.groups;
       n += gridDim.x * warps_of_block) {
    if (batch.packets[n] == 0) continue;
    auto& room = batch.rooms[n];
    auto const chosen = S::work_first(warp_group{batch.packets[n]}, tables, version, batch.epochs[n], room,
                                      near[threadIdx.x / warp_size]);
    list_packets<S>(list, chosen, n, room);
  }
  __syncthreads();
  if (threadIdx.x == 0) finish_first_step<S>(*list.state, tables, version);
}

// Hands the network's scores out, a packet per thread.
template <works_twice S>
__global__ void __launch_bounds__(kernel_threads)
    work_second(stage_batch<typename S::room> batch, second_work_list list, typename S::ref tables) {
  auto const rows = list.state->job.rows;
  auto const version = list.state->version;
  auto const threads = gridDim.x * kernel_threads;
  for (auto first = blockIdx.x * kernel_threads + threadIdx.x / warp_size * warp_size; first < rows; first += threads) {
    auto const at = first + lane();
    bool is_found = false;
    if (at < rows) {
      auto const packet = list.packets[at];
      auto const group = packet / joint_packets;
      auto const outputs = list.state->job.network.outputs();
      is_found = S::take_scores(packet % joint_packets, list.scores + std::size_t{at} * outputs, tables, version,
                                batch.epochs[group], batch.rooms[group]);
    }
    auto const found = static_cast<std::uint32_t>(__popc(__ballot_sync(whole_warp, is_found)));
    auto const left = rows - first;
    if (lane() == 0) S::count_second(tables, left < warp_size ? left : warp_size, found);
  }
}

}  // namespace device

template <works_twice S>
struct own_kernels<S> {
  using batch_type = stage_batch<typename S::room>;

  [[nodiscard]] static std::size_t bytes_beside(std::uint32_t groups) { return second_work_list::bytes(groups); }
  [[nodiscard]] static cudaError_t prepare(gpu_bounds const& gpu, typename S::ref const& tables) {
    return prepare_wide(shape_for(gpu, tables));
  }
  static void launch(cudaStream_t stream, batch_type batch, typename S::ref const& tables) {
    second_work_list const list{batch.beside, batch.most_groups};
    constexpr auto warps = kernel_threads / gpu_warp_size;
    device::work_first<S><<<(batch.most_groups + warps - 1) / warps, kernel_threads, 0, stream>>>(batch, list, tables);
    auto const shape = shape_for(batch.gpu, tables);
    wide_launch const wide{.job = &list.state->job,
                           .rows = list.rows,
                           .scores = list.scores,
                           .most = list.most,
                           .shared = shape.shared,
                           .blocks = shape.blocks};
    if (launch_wide(stream, wide) != cudaSuccess) return;  // CUDA keeps the error
    auto const blocks = std::min<unsigned>((list.most + kernel_threads - 1) / kernel_threads, most_blocks);
    device::work_second<S><<<blocks, kernel_threads, 0, stream>>>(batch, list, tables);
  }

 private:
  static constexpr unsigned most_blocks = 64;

  // For every network that this GPU can evaluate, as others may take the first one's place.
  [[nodiscard]] static wide_shape shape_for(gpu_bounds const& gpu, typename S::ref const& tables) {
    return wide_shape_for_all(S::wide_width(tables), gpu.shared_bytes, gpu.multiprocessors);
  }
};

}  // namespace packetwarp
