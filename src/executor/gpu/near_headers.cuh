// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "burst/near_header.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "executor/gpu/program.h"
#include "executor/gpu/staging.cuh"
#include "executor/gpu/warp.cuh"
#include "function/function.h"

namespace packetwarp::device {

// The first bytes of a warp's packets, a packet a lane, in shared memory while a function works on them. Four lanes
// fetch and put back those of a packet, 16 bytes each, which makes one access of them.
template <packet_function F>
class near_headers {
 public:
  // All lanes. is_there: whether the lane has a packet.
  __device__ near_headers(packet_view packet, bool is_there) : packet_{packet} {
    if constexpr (has_stays_near<F>) {
      if (!has_room()) return;
      if (is_there && misalignment(packet.data) == 0) chunks_ = chunks_of(packet.contiguous);
      fetch();
      auto near = packet;
      near.data = cell_of(lane());
      is_near_ = chunks_ != 0 && F::stays_near(near);
      if (is_near_) packet_.data = near.data;
    }
  }

  // What the function is to work on.
  [[nodiscard]] __device__ packet_view const& view() const { return packet_; }

  // All lanes. Nobody looks at the bytes of what is dropped, and at those of what is far the function has been already.
  __device__ void put_back(packet_view packet, verdict said) {
    if constexpr (has_stays_near<F>) {
      if (!has_room()) return;
      if (!is_near_ || said.what() == verdict::action::drop) chunks_ = 0;
      if (chunks_ != 0 && said.what() == verdict::action::forward)
        put_front_back(packet.data, bytes_pushed(said.move()));
      put_chunks_back(packet.data);
    }
  }

 private:
  static constexpr unsigned most_chunks = near_bytes / chunk_bytes;
  static constexpr unsigned packets_at_once = warp_size / most_chunks;
  static constexpr unsigned steps = warp_size / packets_at_once;

  [[nodiscard]] __device__ static std::uint32_t chunks_of(std::uint32_t bytes) {
    auto const chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
    return chunks < most_chunks ? chunks : most_chunks;
  }
  // A GPU with too little shared memory launches kernels without.
  [[nodiscard]] __device__ static bool has_room() {
    unsigned bytes = 0;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes != 0;
  }
  [[nodiscard]] __device__ static std::byte* cell_of(unsigned of_lane) {
    extern __shared__ std::uint32_t near_cells[];
    auto const cell = threadIdx.x / warp_size * warp_size + of_lane;
    return reinterpret_cast<std::byte*>(near_cells) + cell * near_stride + near_headroom;
  }

  __device__ void fetch() const {
    uint4 data[steps];
#pragma unroll
    for (unsigned step = 0; step < steps; ++step) {
      auto const owner = step * packets_at_once + lane() / most_chunks;
      auto const* const from = chunk_of(owner, packet_.data);
      if (from != nullptr) data[step] = *from;
    }
#pragma unroll
    for (unsigned step = 0; step < steps; ++step) {
      auto const owner = step * packets_at_once + lane() / most_chunks;
      auto* const words = reinterpret_cast<std::uint32_t*>(cell_of(owner)) + lane() % most_chunks * 4;
      words[0] = data[step].x;
      words[1] = data[step].y;
      words[2] = data[step].z;
      words[3] = data[step].w;
    }
    __syncwarp();
  }
  __device__ void put_chunks_back(std::byte* far) const {
    __syncwarp();
#pragma unroll
    for (unsigned step = 0; step < steps; ++step) {
      auto const owner = step * packets_at_once + lane() / most_chunks;
      auto* const to = chunk_of(owner, far);
      auto const* const words = reinterpret_cast<std::uint32_t*>(cell_of(owner)) + lane() % most_chunks * 4;
      if (to != nullptr) *to = uint4{words[0], words[1], words[2], words[3]};
    }
    __syncwarp();
  }
  // This lane's chunk of another lane's packet; nullptr where there is none. of_lane: this lane's packet.
  [[nodiscard]] __device__ uint4* chunk_of(unsigned owner, std::byte* of_lane) const {
    auto const data = __shfl_sync(whole_warp, reinterpret_cast<unsigned long long>(of_lane), owner);
    auto const chunks = __shfl_sync(whole_warp, chunks_, owner);
    auto const own = lane() % most_chunks;
    return own < chunks ? reinterpret_cast<uint4*>(data) + own : nullptr;
  }
  // Aligned as the packet is.
  __device__ static void put_front_back(std::byte* far, int pushed) {
    auto const* const near = reinterpret_cast<std::uint32_t const*>(cell_of(lane()));
    if (pushed == 4) *reinterpret_cast<std::uint32_t*>(far - 4) = near[-1];
    if (pushed == 8) *reinterpret_cast<uint2*>(far - 8) = {near[-2], near[-1]};
  }

  packet_view packet_;
  std::uint32_t chunks_{};  // to fetch, then to put back
  bool is_near_{};
};

}  // namespace packetwarp::device
