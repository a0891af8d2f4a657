// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/gpu/device/warp.cuh"
#include "executor/gpu/program.h"
#include "function/function.h"

namespace packetwarp::device {

// Whether a warp goes in step with the others of its block.
enum class stepping : bool { alone, in_step };

// A warp and the packets that it works on together: the group of a joint stage (function/group.h) on a GPU.
class warp_group {
 public:
  __device__ explicit warp_group(unsigned packets, stepping how = stepping::alone) : packets_{packets}, how_{how} {}

  [[nodiscard]] __device__ unsigned packets() const { return packets_; }
  [[nodiscard]] __device__ static constexpr unsigned lanes() { return warp_size; }
  [[nodiscard]] __device__ static unsigned lane() { return device::lane(); }
  __device__ static void sync() { __syncwarp(); }
  __device__ void meet() const {
    if (how_ == stepping::alone) return;
    __syncwarp();
    __syncthreads();  // warps that have ended are not waited for
  }
  [[nodiscard]] __device__ static std::uint32_t sum(std::uint32_t value) { return sum_of_warp(value); }

 private:
  unsigned packets_;
  stepping how_;
};

// The shared memory that a block is launched with: the rooms of its warps, and the headers of its packets.
template <packet_function F>
[[nodiscard]] __device__ std::byte* shared_of_block() {
  if constexpr (works_jointly<F>) {
    extern __shared__ uint4 rooms[];
    return reinterpret_cast<std::byte*>(rooms);
  } else {
    extern __shared__ std::uint32_t near_cells[];
    return reinterpret_cast<std::byte*>(near_cells);
  }
}

template <works_jointly F>
[[nodiscard]] __device__ typename F::room& room_of_warp() {
  static_assert(alignof(uint4) == room_alignment);
  return *reinterpret_cast<typename F::room*>(shared_of_block<F>() + threadIdx.x / warp_size * shared_room_bytes_of<F>);
}

// Works on up to a warp's packets together. Called by all lanes; is_there: whether the lane has one. packets: how many
// the warp has, in the first lanes. The result of a lane without a packet means nothing. It is copied, as all between a
// kernel and the work is: HOST_DEVICE_COPIED (base/host_device.h) says why.
template <works_jointly F>
[[nodiscard]] __device__ __forceinline__ typename F::annotation work_together(
    packet_view packet, bool is_there, unsigned packets, typename taken_for_burst<F>::type const& tables,
    stepping how) {
  auto& room = room_of_warp<F>();
  if (is_there) F::gather(packet, lane(), tables, room);
  __syncwarp();
  F::work(warp_group{packets, how}, tables, room);
  __syncwarp();
  typename F::annotation found{};
  if (is_there) found = F::annotation_of(lane(), room);
  // From here on the room is the one of the warp's next packets.
  __syncwarp();
  return found;
}

}  // namespace packetwarp::device
