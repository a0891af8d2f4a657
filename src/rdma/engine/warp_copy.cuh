// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rdma/engine/write_check.h"

namespace packetwarp::rdma::device {

inline constexpr std::uint32_t lanes = 32;
inline constexpr std::uint32_t unit = sizeof(uint4);
inline constexpr std::uint32_t small_write = 4 * unit;

template <class T>
[[nodiscard]] __device__ T* of_lane(T* pointer, std::uint32_t lane) {
  return reinterpret_cast<T*>(
      __shfl_sync(0xffff'ffffU, reinterpret_cast<std::uint64_t>(pointer), static_cast<int>(lane)));
}
[[nodiscard]] __device__ inline std::uint32_t of_lane(std::uint32_t value, std::uint32_t lane) {
  return __shfl_sync(0xffff'ffffU, value, static_cast<int>(lane));
}

// Moves a write of up to 64 bytes of each lane, of whole units: four lanes per write, so that a warp's accesses lie
// side by side where its writes do.
__device__ inline void copy_small(std::byte* to, std::byte const* from, std::uint32_t bytes) {
  auto const lane = threadIdx.x % lanes;
  for (std::uint32_t round = 0; round < small_write / unit; ++round) {
    auto const whose = round * (lanes * unit / small_write) + lane / (small_write / unit);
    auto const at = lane % (small_write / unit) * unit;
    auto* const target = of_lane(to, whose);
    auto const* const source = of_lane(from, whose);
    if (at < of_lane(bytes, whose))
      *reinterpret_cast<uint4*>(target + at) = *reinterpret_cast<uint4 const*>(source + at);
  }
}

// All lanes move one write.
__device__ inline void copy_large(std::byte* to, std::byte const* from, std::uint32_t bytes) {
  auto const lane = threadIdx.x % lanes;
  auto const is_aligned = (reinterpret_cast<std::uint64_t>(to) | reinterpret_cast<std::uint64_t>(from)) % unit == 0;
  std::uint64_t const in_units = is_aligned ? bytes / unit * unit : 0;
  for (std::uint64_t at = lane * unit; at < in_units; at += lanes * unit)
    *reinterpret_cast<uint4*>(to + at) = *reinterpret_cast<uint4 const*>(from + at);
  for (auto at = in_units + lane; at < bytes; at += lanes) to[at] = from[at];
}

// Moves the writes of a warp's lanes; a lane without one has 0 bytes. Called by all lanes.
__device__ inline void copy_by_warp(std::byte* to, std::byte const* from, std::uint32_t bytes) {
  auto const is_small =
      bytes <= small_write &&
      (reinterpret_cast<std::uint64_t>(to) | reinterpret_cast<std::uint64_t>(from) | std::uint64_t{bytes}) % unit == 0;
  if (__any_sync(0xffff'ffffU, is_small && bytes != 0)) copy_small(to, from, is_small ? bytes : 0);
  for (auto left = __ballot_sync(0xffff'ffffU, !is_small && bytes != 0); left != 0; left &= left - 1) {
    auto const whose = static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1);
    copy_large(of_lane(to, whose), of_lane(from, whose), of_lane(bytes, whose));
  }
}

}  // namespace packetwarp::rdma::device
