// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/lane_frame.h"
#include "rdma/roce/lane_requester.h"
#include "rdma/roce/serve_requesters.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr std::uint32_t warps = 8, threads = warps * lanes;
constexpr std::uint32_t all_lanes = 0xffff'ffff;

// The lanes of a warp, for lane_requester.
struct warp_lanes {
  template <class Step>
  __device__ void each(Step const& step) const {
    step(threadIdx.x % lanes);
    __syncwarp();
  }
  template <class Test>
  [[nodiscard]] __device__ std::uint32_t ballot(Test const& test) const {
    return __ballot_sync(all_lanes, test(threadIdx.x % lanes));
  }
  template <class Step>
  __device__ void one(Step const& step) const {
    __syncwarp();
    if (threadIdx.x % lanes == 0) step();
    __syncwarp();
  }
};

struct block_room {
  alignas(16) std::byte frames[warps][frame_room];
  lane_tables tables;
  std::uint32_t is_stopped;
};

// The exclusive or of all lanes' values.
__device__ std::uint32_t combine_lanes(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_xor_sync(all_lanes, value);
#else
  for (auto apart = lanes / 2; apart != 0; apart /= 2) value ^= __shfl_xor_sync(all_lanes, value, apart);
  return value;
#endif
}

__device__ void make_frame(frame_order const& order, std::byte* room, lane_tables const& tables, std::uint32_t power) {
  auto const lane = threadIdx.x % lanes;
  lane_frame const frame{order, room};
  frame.write_bytes(lane);
  __syncwarp();
  auto const parts = combine_lanes(frame.icrc_part(lane, tables, power));
  if (lane == 0) frame.write_icrc(parts);
  __syncwarp();
  frame.copy_out(lane);
  __syncwarp();
}

__global__ __launch_bounds__(threads) void serve_requesters(served_requesters work) {
  __shared__ block_room room;
  __shared__ alignas(64) std::byte requester_memory[sizeof(requester_room)];
  auto& shared = *reinterpret_cast<requester_room*>(requester_memory);
  auto const& queue = work.queues[blockIdx.x];
  auto const warp = threadIdx.x / lanes;
  for (auto i = threadIdx.x; i < lane_tables::words; i += threads) room.tables.of[i / 256][i % 256] = table_word(i);
  auto const power = lane_power(threadIdx.x % lanes);
  if (threadIdx.x == 0) {
    new (requester_memory) requester_room{queue.parts, work.scope, queue.how, queue.first_psn};
    room.is_stopped = 0;
  }
  __syncthreads();
  warp_lanes const by;
  lane_connection const to = queue.to;
  lane_requester<warp_lanes> const requester{
      by, to, region_table_ref{work.regions, work.region_count}, *queue.box, queue.writes, shared};
  while (room.is_stopped == 0) {
    if (warp == 0) requester.plan(detail::now_ns());
    __syncthreads();
    for (auto n = warp; n < shared.count; n += warps)
      make_frame(shared.orders[n], room.frames[warp], room.tables, power);
    if (threadIdx.x == 0) room.is_stopped = detail::load(queue.box->stop) != 0 ? 1 : 0;
    __syncthreads();
    if (warp == 0 && shared.count != 0) requester.tell();
  }
  if (threadIdx.x == 0) work.counters[blockIdx.x] = {shared.window.counters(), shared.queue.counters()};
}

}  // namespace

cudaError_t count_requester_blocks(std::size_t& most) {
  int device = 0, blocks = 0, processors = 0;
  auto said = cudaGetDevice(&device);
  if (said == cudaSuccess) said = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, serve_requesters, threads, 0);
  if (said == cudaSuccess) said = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  most = static_cast<std::size_t>(blocks) * static_cast<std::size_t>(processors);
  return said;
}

cudaError_t launch_serve_requesters(served_requesters const& work, cudaStream_t stream) {
  serve_requesters<<<work.count, threads, 0, stream>>>(work);
  return cudaGetLastError();
}

}  // namespace packetwarp::rdma::roce
