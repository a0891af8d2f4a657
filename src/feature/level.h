// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"

namespace packetwarp::feature {

inline constexpr std::int8_t highest_level = 127;

namespace detail {
// The number of the highest bit that is set; one is.
[[nodiscard]] HOST_DEVICE constexpr unsigned highest_bit(std::uint64_t count) noexcept {
#if defined(__CUDA_ARCH__)
  if (!std::is_constant_evaluated()) return static_cast<unsigned>(63 - __clzll(static_cast<long long>(count)));
#endif
  return static_cast<unsigned>(std::bit_width(count)) - 1;
}
#if defined(__CUDA_ARCH__)
// A float, rounded towards zero, has the highest bit's number and the bits below it in its upper bits.
[[nodiscard]] __device__ inline std::int8_t level_by_float(std::uint64_t count) {
  if (count >> 32 != 0) return highest_level;
  constexpr int bits_below = 23 - 2;  // of a float's fraction
  constexpr int of_one = 127 << 2;    // the upper bits of 1.0
  auto const upper =
      static_cast<int>(__float_as_uint(__uint2float_rz(static_cast<std::uint32_t>(count))) >> bits_below);
  return static_cast<std::int8_t>(min(max(upper - of_one + 1, 0), int{highest_level}));
}
#endif
}  // namespace detail

// A count of any size as a feature: four steps per doubling, so that equal ratios are equal differences. 0 is 0, 1 is
// 1, 2 is 5, 3 is 7, 1,500 is 42; from 1.5 x 2^31 on it is 127.
[[nodiscard]] HOST_DEVICE constexpr std::int8_t level(std::uint64_t count) noexcept {
#if defined(__CUDA_ARCH__)
  if (!std::is_constant_evaluated()) return detail::level_by_float(count);
#endif
  if (count == 0) return 0;
  auto const highest_bit = detail::highest_bit(count);
  // The two bits below the highest one; a count below 4 has fewer, and zeroes follow them.
  auto const next_two =
      static_cast<unsigned>(highest_bit >= 2 ? count >> (highest_bit - 2) : count << (2 - highest_bit)) & 3U;
  auto const step = 1 + 4 * highest_bit + next_two;
  return step < static_cast<unsigned>(highest_level) ? static_cast<std::int8_t>(step) : highest_level;
}

}  // namespace packetwarp::feature
