// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "burst/near_header.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "executor/gpu/device/staging.cuh"
#include "executor/gpu/device/warp.cuh"
#include "executor/gpu/joint/warp_group.cuh"
#include "executor/gpu/program.h"
#include "function/function.h"

namespace packetwarp::device {

// The first bytes of a warp's packets, one packet per lane, in shared memory while a function works on them. Four lanes
// fetch and put back a packet's bytes, 16 bytes each: this is one access to memory, and it writes a whole line. Packets
// that are not aligned to 16 bytes are worked on where they lie.
template <packet_function F>
class near_headers {
 public:
  // Called by all lanes. is_there: whether the lane has a packet.
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

  // The packet that the function must work on.
  [[nodiscard]] __device__ packet_view const& view() const { return packet_; }

  // Called by all lanes. packet: where it lies. Bytes that are not needed are not put back.
  __device__ void put_back(packet_view packet, verdict said) {
    if constexpr (has_stays_near<F>) {
      if (!has_room()) return;
      if (!is_near_ || !said.needs_bytes()) chunks_ = 0;
      put_back_front(packet.data, chunks_ != 0 ? bytes_pushed(said.move()) : 0);
      put_back_chunks(packet.data);
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
  // If a GPU has too little shared memory, kernels are launched without it.
  [[nodiscard]] __device__ static bool has_room() {
    unsigned bytes = 0;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes > rooms_bytes();
  }
  [[nodiscard]] __device__ static std::byte* cell_of(unsigned of_lane) {
    auto const cell = threadIdx.x / warp_size * warp_size + of_lane;
    return shared_of_block<F>() + rooms_bytes() + cell * near_stride + near_headroom;
  }
  // The bytes of the rooms, which lie before the cells.
  [[nodiscard]] __device__ static unsigned rooms_bytes() {
    return static_cast<unsigned>(shared_room_bytes_of<F>) * (blockDim.x / warp_size);
  }

  __device__ void fetch() const {
    uint4 data[steps];
#pragma unroll
    for (unsigned step = 0; step < steps; ++step) {
      auto const* const from = chunk_in(step, packet_.data);
      if (from != nullptr) data[step] = *from;
    }
#pragma unroll
    for (unsigned step = 0; step < steps; ++step) {
      auto* const words = words_in(step);
      words[0] = data[step].x;
      words[1] = data[step].y;
      words[2] = data[step].z;
      words[3] = data[step].w;
    }
    __syncwarp();
  }
  __device__ void put_back_chunks(std::byte* far) const {
    __syncwarp();
#pragma unroll
    for (unsigned step = 0; step < steps; ++step) {
      auto* const to = chunk_in(step, far);
      auto const* const words = words_in(step);
      if (to != nullptr) *to = uint4{words[0], words[1], words[2], words[3]};
    }
    __syncwarp();
  }

  // The packet that this lane copies a chunk of in a step, by the lane that owns it.
  [[nodiscard]] __device__ static unsigned owner_in(unsigned step) {
    return step * packets_at_once + lane() / most_chunks;
  }
  // The address of the packet's chunk; nullptr if the packet has no such chunk. own: this lane's packet.
  [[nodiscard]] __device__ uint4* chunk_in(unsigned step, std::byte* own) const {
    auto const data = __shfl_sync(whole_warp, reinterpret_cast<unsigned long long>(own), owner_in(step));
    auto const chunks = __shfl_sync(whole_warp, chunks_, owner_in(step));
    auto const n = lane() % most_chunks;
    return n < chunks ? reinterpret_cast<uint4*>(data) + n : nullptr;
  }
  // The chunk in its cell, which is aligned only to words.
  [[nodiscard]] __device__ static std::uint32_t* words_in(unsigned step) {
    return reinterpret_cast<std::uint32_t*>(cell_of(owner_in(step)) + lane() % most_chunks * chunk_bytes);
  }
  // For this lane's packet. The packet is aligned, so the bytes before it are too.
  __device__ static void put_back_front(std::byte* far, int pushed) {
    auto const* const near = reinterpret_cast<std::uint32_t const*>(cell_of(lane()));
    if (pushed == 4) *reinterpret_cast<std::uint32_t*>(far - 4) = near[-1];
    if (pushed == 8) *reinterpret_cast<uint2*>(far - 8) = {near[-2], near[-1]};
  }

  packet_view packet_;
  std::uint32_t chunks_{};  // to fetch, then to put back
  bool is_near_{};
};

// The packet for gather(). far: where it lies; near: what near_headers shows.
template <packet_function F>
[[nodiscard]] __device__ packet_view gathered_view(packet_view far, packet_view const& near) {
  if constexpr (!reaches_payload<F>) return near;
  if (near.data != far.data) far.headers = near.data;
  return far;
}
// The same if the copy stays until the group's work is done: a packet that is no longer than the copy is read there.
template <packet_function F>
[[nodiscard]] __device__ packet_view gathered_view_of_kept(packet_view const& far, packet_view const& near) {
  bool const is_whole = far.contiguous <= near_bytes && far.rest_contiguous == 0;
  return is_whole ? near : gathered_view<F>(far, near);
}

}  // namespace packetwarp::device
