// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/queue_pair_ref.h"
#include "rdma/roce/lane_frame.h"
#include "rdma/roce/make_frames.h"

namespace packetwarp::rdma::roce {
namespace {

constexpr std::uint32_t warps = 8, threads = warps * lanes;
constexpr std::uint32_t orders_per_warp = order_slot::most_orders / warps;
static_assert(orders_per_warp * sizeof(frame_order) == lanes * sizeof(std::uint64_t));

struct block_room {
  alignas(16) std::byte frames[warps][frame_room];
  frame_order orders[warps][orders_per_warp];
  lane_tables tables;
  std::uint32_t count;  // orders of the batch; `ended`
};
constexpr std::uint32_t ended = ~std::uint32_t{0};

// The number of orders of a batch, once it is there.
__device__ std::uint32_t await_batch(order_slot const& slot, std::uint64_t batch, std::uint32_t const* stop) {
  constexpr std::uint32_t polls_between_looks = 16;
  for (std::uint32_t n = 1;; ++n) {
    auto const given = detail::load(slot.given);
    if (given >> 8 == batch + 1) {
      detail::load_fence(acquire_from_system);
      return static_cast<std::uint32_t>(given & 0xff);
    }
    if (n % polls_between_looks == 0 && detail::load(*stop) != 0) return ended;
  }
}

// The exclusive or of all lanes' values.
__device__ std::uint32_t combine_lanes(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_xor_sync(0xffff'ffffU, value);
#else
  for (auto apart = lanes / 2; apart != 0; apart /= 2) value ^= __shfl_xor_sync(0xffff'ffffU, value, apart);
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

__global__ __launch_bounds__(threads) void make_frames(order_slot* slots, std::uint32_t slot_count,
                                                       std::uint32_t const* stop) {
  __shared__ block_room room;
  auto const warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  for (auto i = threadIdx.x; i < lane_tables::words; i += threads) room.tables.of[i / 256][i % 256] = table_word(i);
  auto const power = lane_power(lane);
  __syncthreads();
  for (std::uint64_t batch = blockIdx.x;; batch += gridDim.x) {
    auto& slot = slots[batch % slot_count];
    if (threadIdx.x == 0) room.count = await_batch(slot, batch, stop);
    __syncthreads();
    auto const count = room.count;
    if (count == ended) return;
    auto const first = warp * orders_per_warp;
    if (first < count) {
      // A warp's orders in one access; those beyond `count` are old ones.
      reinterpret_cast<unsigned long long*>(room.orders[warp])[lane] =
          __ldcg(reinterpret_cast<unsigned long long const*>(slot.orders + first) + lane);
      __syncwarp();
      for (std::uint32_t n = 0; n < orders_per_warp && first + n < count; ++n)
        make_frame(room.orders[warp][n], room.frames[warp], room.tables, power);
    }
    __syncthreads();
    if (threadIdx.x == 0) detail::store_after(slot.made, batch + 1, release_to_system);
  }
}

}  // namespace

cudaError_t launch_make_frames(order_slot* slots, std::uint32_t slot_count, std::uint32_t blocks,
                               std::uint32_t const* stop, cudaStream_t stream) {
  make_frames<<<blocks, threads, 0, stream>>>(slots, slot_count, stop);
  return cudaGetLastError();
}

}  // namespace packetwarp::rdma::roce
