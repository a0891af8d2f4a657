// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace packetwarp::telemetry {

// How a histogram divides 0 .. 2^64-1: every power of two is cut into 32 equal buckets. Below 64 a bucket is one value;
// above, a bucket is at most 1/32 of its lowest value wide, so its middle is within 1/64 (1.6 %) of all it holds.
struct histogram_buckets {
  static constexpr unsigned per_octave = 32;
  static constexpr unsigned octave_bits = std::bit_width(per_octave);  // bits of the first value that has to share
  static constexpr std::size_t count = (64 - octave_bits + 2) * std::size_t{per_octave};
  static constexpr double relative_error = 1.0 / (2 * per_octave);

  [[nodiscard]] static constexpr std::size_t of(std::uint64_t value) {
    auto const shift = static_cast<unsigned>(std::bit_width(value | (2 * per_octave - 1))) - octave_bits;
    return shift * std::size_t{per_octave} + static_cast<std::size_t>(value >> shift);
  }
  [[nodiscard]] static constexpr std::uint64_t lowest(std::size_t bucket) {
    return (bucket - shift_of(bucket) * std::uint64_t{per_octave}) << shift_of(bucket);
  }
  [[nodiscard]] static constexpr std::uint64_t highest(std::size_t bucket) {
    return lowest(bucket) + ((std::uint64_t{1} << shift_of(bucket)) - 1);
  }
  [[nodiscard]] static constexpr std::uint64_t middle(std::size_t bucket) {
    return lowest(bucket) + (highest(bucket) - lowest(bucket)) / 2;
  }

 private:
  [[nodiscard]] static constexpr unsigned shift_of(std::size_t bucket) {
    return bucket < 2 * per_octave ? 0 : static_cast<unsigned>(bucket / per_octave - 1);
  }
};
static_assert(histogram_buckets::of(~std::uint64_t{0}) == histogram_buckets::count - 1);
static_assert(histogram_buckets::highest(histogram_buckets::count - 1) == ~std::uint64_t{0});

}  // namespace packetwarp::telemetry
