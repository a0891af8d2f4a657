// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/roce/gpu/combine_lanes.cuh"
#include "rdma/roce/gpu/serve_requesters.h"
#include "rdma/roce/lane_frame.h"
#include "rdma/roce/lane_requester.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr std::uint32_t warps = 16, threads = warps * lanes;
// The warps' work in a round: one plans frames, another one tells the CPU of frames and reads the mailbox, the others
// make the frames of the plan before.
constexpr std::uint32_t planner = 0, reader = 1, first_maker = 2, makers = warps - first_maker;
constexpr std::uint32_t rooms = makers + 1;      // for frames: the planner makes some, too
constexpr std::uint32_t most_regions_near = 32;  // that a block keeps in its shared memory
constexpr std::uint32_t all_lanes = 0xffff'ffff;
constexpr std::uint32_t idle_rounds_per_stop = 64;  // the stop word is in host memory

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
  template <class Value>
  [[nodiscard]] __device__ std::uint32_t sum(Value const& value) const {
    std::uint32_t all = value(threadIdx.x % lanes);
    for (auto apart = lanes / 2; apart != 0; apart /= 2) all += __shfl_xor_sync(all_lanes, all, apart);
    return all;
  }
  template <class Step>
  __device__ void one(Step const& step) const {
    __syncwarp();
    if (threadIdx.x % lanes == 0) step();
    __syncwarp();
  }
};

// The shared memory of a block. The rooms of its warps' frames follow, and the ring of placed writes.
struct block_room {
  alignas(64) std::byte requester[sizeof(requester_room)];
  lane_tables tables;
  region regions[most_regions_near];
  std::uint32_t is_stopped[2];  // by a round, for all of the next one
  std::uint32_t rounds_read;    // in which the mailbox was read
};
constexpr std::size_t rooms_at = (sizeof(block_room) + 15) / 16 * 16;

[[nodiscard]] std::size_t shared_bytes_of(std::uint32_t mtu, std::uint32_t most_writes) {
  return rooms_at + rooms * frame_room_of(mtu) + most_writes * sizeof(placed_write);
}

// rest: where a frame in two pieces goes on, else 0.
__device__ void make_frame(frame_order const& order, std::uint64_t rest, std::byte* room, lane_tables const& tables,
                           std::uint32_t power) {
  auto const lane = threadIdx.x % lanes;
  lane_frame const frame{order, room};
  frame.write_bytes(lane);
  __syncwarp();
  auto const parts = combine_lanes(frame.icrc_part(lane, tables, power));
  if (lane == 0) frame.write_icrc(parts);
  __syncwarp();
  frame.copy_out(lane, rest);
  __syncwarp();
}

// The regions near to the threads, if they are few.
__device__ region_table_ref keep_regions(block_room& room, served_requesters const& work) {
  if (work.region_count > most_regions_near) return {work.regions, work.region_count};
  for (auto i = threadIdx.x; i < work.region_count; i += threads) room.regions[i] = work.regions[i];
  return {room.regions, work.region_count};
}

__global__ __launch_bounds__(threads, 2) void serve_requesters(served_requesters work) {
  extern __shared__ __align__(64) std::byte shared_memory[];
  auto& room = *reinterpret_cast<block_room*>(shared_memory);
  auto& shared = *reinterpret_cast<requester_room*>(room.requester);
  auto const& queue = work.queues[blockIdx.x];
  auto const to = queue.to;
  auto const warp = threadIdx.x / lanes;
  auto const room_bytes = frame_room_of(std::size_t{1} << to.mtu_shift);
  auto* const frame = shared_memory + rooms_at + (warp < first_maker ? makers : warp - first_maker) * room_bytes;
  auto* const writes = reinterpret_cast<placed_write*>(shared_memory + rooms_at + rooms * room_bytes);
  for (auto i = threadIdx.x; i < lane_tables::words; i += threads) room.tables.of[i / 256][i % 256] = table_word(i);
  auto const power = lane_power(threadIdx.x % lanes);
  auto const regions = keep_regions(room, work);
  if (threadIdx.x == 0) {
    new (room.requester) requester_room{queue.parts, work.scope, queue.how, queue.first_psn};
    for (auto& round : shared.rounds) round.count = round.has_news = 0;
    room.is_stopped[0] = room.is_stopped[1] = room.rounds_read = 0;
  }
  __syncthreads();
  warp_lanes const by;
  lane_requester<warp_lanes> const requester{by, to, regions, *queue.box, writes, shared};
  // Frames that a round plans are made in the next one, and told of after it, when their place is written again.
  bool was_told = false;  // of frames, after the round before
  for (std::uint32_t n = 0, idle = 0;; ++n) {
    auto& planned = shared.rounds[n % 2];
    auto const& made = shared.rounds[(n + 1) % 2];
    auto const count = made.count;
    auto const told = made.told;
    bool const has_news = made.has_news != 0;
    if (warp == planner) {
      // As often as there is time while the mailbox is read: the queue has news in between.
      do {
        requester.plan(detail::now_ns(), planned);
      } while (planned.has_news == 0 && __shfl_sync(all_lanes, detail::load(room.rounds_read), 0) == n);
      // A frame that is alone waits neither for the others of this round nor for the next one, if the reader has told
      // the CPU of all frames before it.
      if (planned.count == 1 && !has_news && !was_told) {
        make_frame(planned.orders[0], planned.rest_at[0], frame, room.tables, power);
        requester.tell(planned.told);
        by.one([&] { planned.count = planned.has_news = 0; });
      }
    } else if (warp == reader) {
      requester.read_mailbox();
      if (threadIdx.x % lanes == 0) detail::store(room.rounds_read, n + 1);
      if (threadIdx.x % lanes == 0)
        room.is_stopped[n % 2] = idle % idle_rounds_per_stop == 1 && detail::load(queue.box->stop) != 0 ? 1 : 0;
    } else {
      for (auto i = warp - first_maker; i < count; i += makers)
        make_frame(made.orders[i], made.rest_at[i], frame, room.tables, power);
    }
    __syncthreads();
    if (warp == reader && has_news) requester.tell(told);
    if (room.is_stopped[n % 2] != 0) break;
    idle = planned.count + count != 0 ? 0 : idle + 1;
    was_told = has_news;
  }
  if (threadIdx.x == 0) work.counters[blockIdx.x] = {shared.window.counters(), shared.queue.counters()};
}

}  // namespace

cudaError_t count_requester_blocks(std::uint32_t mtu, std::uint32_t most_writes, std::size_t& most) {
  auto const bytes = shared_bytes_of(mtu, most_writes);
  int device = 0, blocks = 0, processors = 0;
  auto said = cudaGetDevice(&device);
  if (said == cudaSuccess)
    said = cudaFuncSetAttribute(serve_requesters, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (said == cudaSuccess)
    said = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, serve_requesters, threads, bytes);
  if (said == cudaSuccess) said = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  most = static_cast<std::size_t>(blocks) * static_cast<std::size_t>(processors);
  return said;
}

cudaError_t launch_serve_requesters(served_requesters const& work, cudaStream_t stream) {
  serve_requesters<<<work.count, threads, shared_bytes_of(work.mtu, work.most_writes), stream>>>(work);
  return cudaGetLastError();
}

}  // namespace packetwarp::rdma::roce
