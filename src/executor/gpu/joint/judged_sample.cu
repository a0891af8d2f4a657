// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include "executor/gpu/joint/judged_sample.h"
#include "executor/gpu/joint/warp_group.cuh"
#include "feature/observe.h"
#include "function/network/evaluate.h"
#include "function/network/room.h"

namespace packetwarp {
namespace {

constexpr unsigned threads = judged_sample::warps * device::warp_size;

__global__ __launch_bounds__(threads, 1) void judge_sample(judged_sample what) {
  extern __shared__ uint4 rooms[];
  auto const lane = threadIdx.x % device::warp_size;
  auto& room = reinterpret_cast<network_room*>(rooms)[threadIdx.x / device::warp_size];
  auto const thread = blockIdx.x * blockDim.x + threadIdx.x;
  auto const& state = what.states[blockIdx.x % judged_sample::pipelines];
  std::int32_t sum = 0;
  for (unsigned i = 0; i < judged_sample::groups; ++i) {
    auto const number = (i * gridDim.x * blockDim.x + thread) % what.count;
    packet_view const view{what.frames + std::size_t{number} * what.stride, what.length, what.length};
    feature::packed_row row{};
    feature::observe(feature::facts_of(view), what.first_epoch + i / judged_sample::groups_per_epoch, state, row);
    network_row const to{room, lane};
    UNROLLED
    for (unsigned word = 0; word < row_words; ++word) to.word(word) = row.words[word];
    __syncwarp();
    evaluate_by_group(device::warp_group{joint_packets}, what.network, room);
    sum += score_of(lane, room, 0);
    __syncwarp();
  }
  what.sink[thread] = sum;
}

}  // namespace

cudaError_t launch_judgement(judged_sample const& what, unsigned blocks) {
  constexpr auto room_bytes = judged_sample::warps * sizeof(network_room);
  auto const said = cudaFuncSetAttribute(judge_sample, cudaFuncAttributeMaxDynamicSharedMemorySize, room_bytes);
  if (said != cudaSuccess) return said;
  judge_sample<<<blocks, threads, room_bytes>>>(what);
  return cudaGetLastError();
}

}  // namespace packetwarp
