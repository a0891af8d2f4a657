// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "base/host_device.h"

namespace packetwarp::model {

// A positive factor: multiplier x 2^-shift. The multiplier is 0 to 2^31 - 1, the shift 1 to 62.
struct fixed_factor {
  std::int32_t multiplier{};
  std::int32_t shift{};
  friend bool operator==(fixed_factor const&, fixed_factor const&) = default;
};
static_assert(sizeof(fixed_factor) == 8);

// The bounds of a result before its zero point is added, and the zero point. bound + zero point fits into 32 bits.
struct result_range {
  std::int32_t low{};
  std::int32_t high{};
  std::int32_t zero_point{};
};

// The one rule by which a sum becomes a result: the product with the factor, in 64 bits, is rounded to the next integer
// (a half goes up: -1.5 becomes -1), bounded, and moved by the zero point. The shift of a negative number is
// arithmetic, as C++20 has it. |sum| x multiplier is at most 2^62 and the half at most 2^61, so nothing overflows.
[[nodiscard]] HOST_DEVICE constexpr std::int32_t rescaled(std::int32_t sum, fixed_factor factor, result_range range) {
  auto const half = std::int64_t{1} << (factor.shift - 1);
  auto value = (std::int64_t{sum} * factor.multiplier + half) >> factor.shift;
  if (value < range.low) value = range.low;
  if (value > range.high) value = range.high;
  return static_cast<std::int32_t>(value) + range.zero_point;
}

// The factor nearest to a number: 31 significant bits where the number is at least 2^-32. Empty for a number that is
// not above 0, not finite, or 2^30 and above. At load time only.
[[nodiscard]] inline std::optional<fixed_factor> factor_of(double number) {
  if (!std::isfinite(number) || number <= 0) return std::nullopt;
  int exponent = 0;
  auto const fraction = std::frexp(number, &exponent);  // in [0.5, 1)
  auto multiplier = std::llround(std::ldexp(fraction, 31));
  if (multiplier == std::int64_t{1} << 31) {
    multiplier /= 2;
    ++exponent;
  }
  auto shift = 31 - exponent;
  if (shift < 1) return std::nullopt;
  if (shift > 62) {
    multiplier = std::llround(std::ldexp(static_cast<double>(multiplier), 62 - shift));
    shift = 62;
  }
  return fixed_factor{static_cast<std::int32_t>(multiplier), shift};
}

}  // namespace packetwarp::model
