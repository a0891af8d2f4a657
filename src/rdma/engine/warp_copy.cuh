// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rdma/direct_put.h"
#include "rdma/engine/write_check.h"

namespace packetwarp::rdma::device {

inline constexpr std::uint32_t lanes = 32;
inline constexpr std::uint32_t every_lane = 0xffff'ffff;

template <class T>
[[nodiscard]] __device__ T* of_lane(T* pointer, std::uint32_t lane) {
  return reinterpret_cast<T*>(
      __shfl_sync(0xffff'ffffU, reinterpret_cast<std::uint64_t>(pointer), static_cast<int>(lane)));
}
[[nodiscard]] __device__ inline std::uint32_t of_lane(std::uint32_t value, std::uint32_t lane) {
  return __shfl_sync(0xffff'ffffU, value, static_cast<int>(lane));
}

// Moves `Together` rounds of copy_small(), with all loads before the first store: a load takes as long as many stores.
template <class Unit, std::uint32_t Together>
__device__ void copy_rounds(std::byte* to, std::byte const* from, std::uint32_t bytes, std::uint32_t part,
                            std::uint32_t first) {
  auto const lane = threadIdx.x % lanes;
  auto const at = lane % part * static_cast<std::uint32_t>(sizeof(Unit));
  Unit held[Together];
  std::byte* target[Together];
  bool has_unit[Together];
  for (std::uint32_t i = 0; i < Together; ++i) {
    auto const whose = (first + i) * (lanes / part) + lane / part;
    target[i] = of_lane(to, whose) + at;
    auto const* const source = of_lane(from, whose) + at;
    has_unit[i] = at < of_lane(bytes, whose);
    if (has_unit[i]) held[i] = rdma::detail::load_unit<Unit>(source);
  }
  for (std::uint32_t i = 0; i < Together; ++i) {
    if (has_unit[i]) rdma::detail::store_unit(target[i], held[i]);
  }
}

// Moves a write of each lane, of up to 32 whole units: a part of the warp per write, so that accesses lie side by side
// where writes do. Called by all lanes.
template <class Unit>
__device__ void copy_small(std::byte* to, std::byte const* from, std::uint32_t bytes) {
  auto const longest = __reduce_max_sync(every_lane, bytes);
  std::uint32_t part = 1;  // lanes per write, and rounds
  while (part * sizeof(Unit) < longest) part *= 2;
  if (part == 1) {
    copy_rounds<Unit, 1>(to, from, bytes, part, 0);
  } else if (part == 2) {
    copy_rounds<Unit, 2>(to, from, bytes, part, 0);
  } else {
    for (std::uint32_t round = 0; round < part; round += 4) copy_rounds<Unit, 4>(to, from, bytes, part, round);
  }
}

// Moves those of a warp's writes that are small, and of whole units at aligned places; returns 0 for them, and `bytes`
// for the others. Called by all lanes.
template <class Unit>
[[nodiscard]] __device__ std::uint32_t copy_if_small(std::byte* to, std::byte const* from, std::uint32_t bytes) {
  auto const places = reinterpret_cast<std::uint64_t>(to) | reinterpret_cast<std::uint64_t>(from) | bytes;
  bool const is_small = bytes != 0 && bytes <= lanes * sizeof(Unit) && places % sizeof(Unit) == 0;
  if (__any_sync(every_lane, is_small)) copy_small<Unit>(to, from, is_small ? bytes : 0);
  return is_small ? 0 : bytes;
}

// Moves the writes of a warp's lanes; a lane without one has 0 bytes. Called by all lanes.
__device__ inline void copy_by_warp(std::byte* to, std::byte const* from, std::uint32_t bytes) {
  auto left = copy_if_small<rdma::detail::unit_of_16>(to, from, bytes);
  left = copy_if_small<std::uint64_t>(to, from, left);
  for (auto others = __ballot_sync(every_lane, left != 0); others != 0; others &= others - 1) {
    auto const whose = static_cast<std::uint32_t>(__ffs(static_cast<int>(others)) - 1);
    put(whole_warp{}, of_lane(to, whose), of_lane(from, whose), of_lane(bytes, whose));
  }
}

}  // namespace packetwarp::rdma::device
