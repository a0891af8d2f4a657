// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include "executor/gpu/joint/warp_group.cuh"
#include "function/inspection/inspection.h"
#include "inspection/device/judge_by_warps.h"

namespace packetwarp::test {
namespace {

constexpr unsigned warps_of_block = 16;
constexpr unsigned room_bytes = (sizeof(inspection_parts::inspection_room) + 15) / 16 * 16;

__global__ __launch_bounds__(warps_of_block * 32, 1) void judge_frames(group_job what) {
  extern __shared__ uint4 rooms[];
  auto& room = *reinterpret_cast<inspection_parts::inspection_room*>(reinterpret_cast<std::byte*>(rooms) +
                                                                     threadIdx.x / 32 * room_bytes);
  auto const lane = threadIdx.x % 32;
  auto const groups = (what.count + 31) / 32;
  for (auto i = threadIdx.x / 32 * gridDim.x + blockIdx.x; i < groups; i += gridDim.x * warps_of_block) {
    auto const held = inspection::hold(what.tables[blockIdx.x]);
    auto const first = i * 32;
    auto const packets = what.count - first < 32 ? what.count - first : 32;
    if (lane < packets) {
      auto const& place = what.frames[first + lane];
      inspection::gather({what.bytes + place.offset, place.size, place.size}, lane, held, room);
    }
    __syncwarp();
    inspection::work(device::warp_group{packets}, held, room);
    __syncwarp();
    if (lane < packets) what.fates[first + lane] = inspection::annotation_of(lane, room);
    __syncwarp();
  }
}

}  // namespace

cudaError_t judge_by_warps(group_job const& what, unsigned blocks) {
  constexpr auto bytes = warps_of_block * room_bytes;
  auto const said = cudaFuncSetAttribute(judge_frames, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (said != cudaSuccess) return said;
  judge_frames<<<blocks, warps_of_block * 32, bytes>>>(what);
  auto const started = cudaGetLastError();
  return started != cudaSuccess ? started : cudaDeviceSynchronize();
}

}  // namespace packetwarp::test
