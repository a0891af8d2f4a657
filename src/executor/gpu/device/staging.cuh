// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "burst/packet_view.h"
#include "executor/gpu/device/warp.cuh"
#include "executor/gpu/offload/offload_ring.h"
#include "memory/placement.h"

namespace packetwarp::device {

// Bytes of a packet and their place in a cell, with the same alignment.
struct stretch {
  std::byte* from;
  std::byte* to;
  std::uint32_t bytes;  // 0: nothing is copied
};
enum class way : std::uint8_t { in, back };

// The unit of a lane's copies.
inline constexpr std::uint32_t chunk_bytes = sizeof(uint4);
[[nodiscard]] __device__ inline std::uint32_t misalignment(std::byte const* at) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at) % chunk_bytes);
}

// Copies a unit's stretches with the whole warp, however long each is: their aligned chunks of 16 bytes are numbered
// and dealt over the lanes, with several loads of each lane in flight, because a load over PCIe takes a microsecond.
template <unsigned PerLane>
class unit_copy {
 public:
  // Each lane has the stretches of its packets. Called by all lanes of a warp.
  __device__ unit_copy(stretch const (&of_lane)[PerLane], way direction) {
    std::uint32_t before = 0;
#pragma unroll
    for (unsigned i = 0; i < PerLane; ++i) {
      auto const head = misalignment(of_lane[i].from);
      auto const chunks = of_lane[i].bytes == 0 ? 0 : (head + of_lane[i].bytes + chunk_bytes - 1) / chunk_bytes;
      end_[i] = before + sum_up_to_lane(chunks);
      first_[i] = end_[i] - chunks;
      before = __shfl_sync(whole_warp, end_[i], warp_size - 1);
      from_[i] = (direction == way::in ? of_lane[i].from : of_lane[i].to) - head;
      to_[i] = (direction == way::in ? of_lane[i].to : of_lane[i].from) - head;
      head_[i] = head;
    }
    total_ = before;
  }

  // The first chunk is written from the stretch's first byte on: before it may lie a packet's kept bytes, which the
  // function has changed. Bytes after the last one are written as they were read.
  __device__ void run() const {
    constexpr unsigned in_flight = 4;
    for (std::uint32_t begin = 0; begin < total_; begin += in_flight * warp_size) {
      uint4 data[in_flight];
      std::byte* to[in_flight];
      std::uint32_t skip[in_flight];
#pragma unroll
      for (unsigned k = 0; k < in_flight; ++k) {
        auto const at = find(begin + k * warp_size + lane());
        to[k] = at.to;
        skip[k] = at.skip;
        if (at.to != nullptr) data[k] = *reinterpret_cast<uint4 const*>(at.from);
      }
#pragma unroll
      for (unsigned k = 0; k < in_flight; ++k) {
        if (to[k] == nullptr) continue;
        if (skip[k] == 0) {
          *reinterpret_cast<uint4*>(to[k]) = data[k];
        } else {
          store_behind(to[k], data[k], skip[k]);
        }
      }
    }
    __syncwarp();
  }

 private:
  struct chunk {
    std::byte* from;
    std::byte* to;       // nullptr: no such chunk
    std::uint32_t skip;  // bytes at its front that do not belong to the stretch
  };

  // Called by all lanes, each with a number of its own. The packet is the first whose chunks end after the number: a
  // binary search among the lanes, in the half of the packets that has it.
  [[nodiscard]] __device__ chunk find(std::uint32_t number) const {
    static_assert(PerLane == 1 || PerLane == 2);
    bool const second = PerLane == 2 && number >= __shfl_sync(whole_warp, end_[0], warp_size - 1);
    unsigned owner = 0;
#pragma unroll
    for (unsigned step = warp_size / 2; step != 0; step /= 2) {
      auto const end0 = __shfl_sync(whole_warp, end_[0], owner + step - 1);
      auto const end1 = __shfl_sync(whole_warp, end_[PerLane - 1], owner + step - 1);
      if ((second ? end1 : end0) <= number) owner += step;
    }
    auto const first = pick(first_, owner, second);
    auto const head = pick(head_, owner, second);
    auto const from = pick(from_, owner, second);
    auto const to = pick(to_, owner, second);
    if (number >= total_) return {nullptr, nullptr, 0};
    auto const offset = (number - first) * chunk_bytes;
    return {from + offset, to + offset, offset == 0 ? head : 0};
  }
  template <class T>
  [[nodiscard]] __device__ static T pick(T const (&of_lane)[PerLane], unsigned owner, bool second) {
    auto const a = shuffled(of_lane[0], owner);
    auto const b = shuffled(of_lane[PerLane - 1], owner);
    return second ? b : a;
  }
  [[nodiscard]] __device__ static std::uint32_t shuffled(std::uint32_t value, unsigned owner) {
    return __shfl_sync(whole_warp, value, owner);
  }
  [[nodiscard]] __device__ static std::byte* shuffled(std::byte* value, unsigned owner) {
    return reinterpret_cast<std::byte*>(__shfl_sync(whole_warp, reinterpret_cast<unsigned long long>(value), owner));
  }
  __device__ static void store_behind(std::byte* to, uint4 const& data, std::uint32_t skip) {
    auto const* const bytes = reinterpret_cast<std::byte const*>(&data);
#pragma unroll
    for (std::uint32_t b = 0; b < chunk_bytes; b += sizeof(std::uint32_t)) {
      auto const in_word = b >= skip ? 0 : skip - b;
      if (in_word == 0) {
        *reinterpret_cast<std::uint32_t*>(to + b) = *reinterpret_cast<std::uint32_t const*>(bytes + b);
        continue;
      }
      for (std::uint32_t i = in_word; i < sizeof(std::uint32_t); ++i) to[b + i] = bytes[b + i];
    }
  }

  std::uint32_t end_[PerLane];    // chunks up to and including each of the lane's packets
  std::uint32_t first_[PerLane];  // chunks before it
  std::uint32_t head_[PerLane];
  std::byte* from_[PerLane];  // aligned
  std::byte* to_[PerLane];
  std::uint32_t total_;
};

// A unit's packets on their way through GPU memory: the constructor copies them in, and the views then show them there.
template <packet_route Route, unsigned PerLane>
class unit_staging {
 public:
  // Packets are worked on where they lie.
  __device__ unit_staging(offload_ring_ref const&, std::uint64_t, std::uint32_t, std::uint32_t,
                          packet_view (&)[PerLane]) {}
  __device__ void forget(unsigned) {}
  __device__ void copy_back() const {}
};

template <unsigned PerLane>
class unit_staging<packet_route::staged, PerLane> {
 public:
  __device__ unit_staging(offload_ring_ref const& ring, std::uint64_t position, std::uint32_t first, std::uint32_t size,
                          packet_view (&views)[PerLane]) {
#pragma unroll
    for (unsigned i = 0; i < PerLane; ++i) {
      auto const n = first + i * warp_size;
      if (n < size) moves_[i] = move_to_cell(ring, ring.cell_of(position, n), views[i]);
    }
    unit_copy<PerLane>{moves_, way::in}.run();
  }
  // Prevents the copy of this lane's packet back.
  __device__ void forget(unsigned i) { moves_[i].bytes = 0; }
  __device__ void copy_back() const {
    __syncwarp();
    unit_copy<PerLane>{moves_, way::back}.run();
  }

 private:
  // Makes the view show a packet in its cell, except the part that stays in host memory.
  [[nodiscard]] __device__ static stretch move_to_cell(offload_ring_ref const& ring, std::byte* cell,
                                                       packet_view& packet) {
    auto const kept = ring.staging.kept_bytes;
    if (packet.contiguous <= kept) return {};
    auto* const from = packet.data + kept;
    auto const bytes = packet.contiguous - kept;
    if (misalignment(from) + bytes > ring.staging.cell_bytes) return {};
    auto* const to = cell + misalignment(from);
    if (kept == 0) {
      packet.data = to;
    } else {
      packet.contiguous = kept;
      packet.rest = to;
      packet.rest_contiguous = bytes;
    }
    return {.from = from, .to = to, .bytes = bytes};
  }
  stretch moves_[PerLane]{};
};

}  // namespace packetwarp::device
