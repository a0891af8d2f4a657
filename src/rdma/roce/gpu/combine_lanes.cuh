// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rdma/roce/lane_icrc.h"

namespace packetwarp::rdma::roce {

// The exclusive or of the values of a warp's lanes.
[[nodiscard]] __device__ inline std::uint32_t combine_lanes(std::uint32_t value) {
  constexpr std::uint32_t all_lanes = 0xffff'ffff;
#if __CUDA_ARCH__ >= 800
  return __reduce_xor_sync(all_lanes, value);
#else
  for (auto apart = lanes / 2; apart != 0; apart /= 2) value ^= __shfl_xor_sync(all_lanes, value, apart);
  return value;
#endif
}

}  // namespace packetwarp::rdma::roce
