// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/evaluate_blocks.h"

#if defined(__x86_64__)
#include <immintrin.h>

// GCC and Clang compile a function for the instructions that it names, whatever the rest of the program is compiled
// for.
#define PACKETWARP_AVX2 __attribute__((target("avx2")))

namespace packetwarp::model {

inline constexpr std::uint32_t halves = 2;  // of a block: a register has eight rows
inline constexpr std::uint32_t rows_of_half = block_rows / halves;
inline constexpr std::uint32_t half_bytes = group_bytes / halves;

// Groups are aligned, and rows may not be. GCC makes two instructions of _mm256_loadu_si256() for old processors.
PACKETWARP_AVX2 inline void store_groups(std::uint8_t* to, __m256i groups) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(to), groups);
}
[[nodiscard]] PACKETWARP_AVX2 inline __m256i load_row(std::int8_t const* from) {
  return _mm256_lddqu_si256(reinterpret_cast<__m256i const*>(from));
}

// Eight rows of eight groups each become eight groups of eight rows.
PACKETWARP_AVX2 inline void transpose(std::int8_t const* rows, std::uint8_t* groups) {
  __m256i pairs[rows_of_half];
  for (std::uint32_t i = 0; i < rows_of_half; i += 2) {
    auto const one = load_row(rows + std::size_t{i} * row_bytes);
    auto const other = load_row(rows + std::size_t{i + 1} * row_bytes);
    pairs[i] = _mm256_unpacklo_epi32(one, other);
    pairs[i + 1] = _mm256_unpackhi_epi32(one, other);
  }
  __m256i fours[rows_of_half];
  for (std::uint32_t i = 0; i < rows_of_half; i += 4) {
    fours[i] = _mm256_unpacklo_epi64(pairs[i], pairs[i + 2]);
    fours[i + 1] = _mm256_unpackhi_epi64(pairs[i], pairs[i + 2]);
    fours[i + 2] = _mm256_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
    fours[i + 3] = _mm256_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
  }
  constexpr std::uint32_t half = rows_of_half / 2;
  for (std::uint32_t i = 0; i < half; ++i) {
    store_groups(groups + std::size_t{i} * group_bytes, _mm256_permute2x128_si256(fours[i], fours[i + half], 0x20));
    store_groups(groups + std::size_t{i + half} * group_bytes,
                 _mm256_permute2x128_si256(fours[i], fours[i + half], 0x31));
  }
}

// The rows in groups of four inputs, of which the first layer uses `used`.
PACKETWARP_AVX2 inline void group_rows_avx2(network_ref network, std::int8_t const* rows, std::uint32_t used,
                                            std::uint8_t* groups) {
  constexpr std::uint32_t at_once = 8 * group_inputs;
  for (std::uint32_t i = 0; i < used; i += at_once) {
    for (std::uint32_t h = 0; h < halves; ++h) {
      transpose(rows + std::size_t{h} * rows_of_half * row_bytes + i,
                groups + std::size_t{i} * block_rows + h * half_bytes);
    }
  }
  read_by_table(network, used, groups);
}

}  // namespace packetwarp::model
#endif
