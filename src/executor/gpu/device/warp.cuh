// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "executor/gpu/offload/offload_ring.h"

namespace packetwarp::device {

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned whole_warp = 0xffffffffu;

[[nodiscard]] __device__ inline unsigned lane() { return threadIdx.x % warp_size; }

// The bits of all lanes, or'ed together.
[[nodiscard]] __device__ inline std::uint32_t or_of_warp(std::uint32_t bits) {
#if __CUDA_ARCH__ >= 800
  return __reduce_or_sync(whole_warp, bits);
#else
  for (unsigned distance = warp_size / 2; distance != 0; distance /= 2) {
    bits |= __shfl_xor_sync(whole_warp, bits, static_cast<int>(distance));
  }
  return bits;
#endif
}

// The sum of all lanes' values.
[[nodiscard]] __device__ inline std::uint32_t sum_of_warp(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(whole_warp, value);
#else
  for (unsigned distance = warp_size / 2; distance != 0; distance /= 2) {
    value += __shfl_xor_sync(whole_warp, value, static_cast<int>(distance));
  }
  return value;
#endif
}

// The sum of a value over the lanes up to and with this one.
[[nodiscard]] __device__ inline std::uint32_t sum_up_to_lane(std::uint32_t value) {
#pragma unroll
  for (unsigned distance = 1; distance < warp_size; distance *= 2) {
    auto const below = __shfl_up_sync(whole_warp, value, distance);
    if (lane() >= distance) value += below;
  }
  return value;
}

}  // namespace packetwarp::device
