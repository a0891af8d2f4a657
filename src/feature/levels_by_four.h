// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every x86-64 processor has SSE2, so that all translation units agree.
#if defined(__SSE2__) && !defined(__CUDA_ARCH__)
#define FEATURE_LEVELS_BY_FOUR 1
#include <emmintrin.h>

#include <cstddef>
#include <cstdint>

#include "model/integer_network.h"

namespace packetwarp::feature {

// Counts at the places of a row; zeroes at first.
class levels_by_four {
 public:
  levels_by_four() {
    for (auto& four : fours_) four = _mm_setzero_si128();
  }
  void set(std::size_t at, std::uint64_t count) {
    // Counts of 32 bits and more have one level.
    reinterpret_cast<counts_alias*>(fours_)[at] = static_cast<std::uint32_t>(count < most_count ? count : most_count);
  }
  // Adds level(count) (level.h) of each count to a row that has zeroes at the places of counts.
  void write_levels(std::int8_t* row) const {
    for (std::size_t n = 0; n < quarters; ++n) {
      auto* const at = reinterpret_cast<__m128i*>(row) + n;
      auto const low = _mm_packs_epi32(steps(fours_[4 * n]), steps(fours_[4 * n + 1]));
      auto const high = _mm_packs_epi32(steps(fours_[4 * n + 2]), steps(fours_[4 * n + 3]));
      auto const zero = _mm_setzero_si128();
      // The last instruction bounds by highest_level.
      auto const levels = _mm_packs_epi16(_mm_max_epi16(low, zero), _mm_max_epi16(high, zero));
      _mm_storeu_si128(at, _mm_or_si128(_mm_loadu_si128(at), levels));
    }
  }

 private:
  using counts_alias [[gnu::may_alias]] = std::uint32_t;
  static constexpr std::uint64_t most_count = 0xffff'ffff;
  static constexpr std::size_t quarters = model::row_bytes / sizeof(__m128i);

  // level() without its bounds: negative for 0. The exponent of a float and the two bits after it are the number of the
  // step. A count of more bits than a float keeps loses eight first, and has 32 steps more.
  [[nodiscard]] static __m128i steps(__m128i counts) {
    constexpr int steps_before_one = (127 << 2) - 1;
    auto const is_long = _mm_cmpgt_epi32(_mm_srli_epi32(counts, 24), _mm_setzero_si128());
    auto const kept = _mm_or_si128(_mm_and_si128(is_long, _mm_srli_epi32(counts, 8)), _mm_andnot_si128(is_long, counts));
    auto const number = _mm_castps_si128(_mm_cvtepi32_ps(kept));
    auto const step = _mm_sub_epi32(_mm_srli_epi32(number, 21), _mm_set1_epi32(steps_before_one));
    return _mm_add_epi32(step, _mm_and_si128(is_long, _mm_set1_epi32(32)));
  }

  __m128i fours_[4 * quarters];
};

}  // namespace packetwarp::feature
#else
#define FEATURE_LEVELS_BY_FOUR 0
#endif
