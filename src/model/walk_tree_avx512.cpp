// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstddef>
#include <cstdint>

#include "model/integer_network.h"
#include "model/walk_tree.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define PACKETWARP_AVX512 __attribute__((target("avx2,avx512f,avx512bw")))

namespace packetwarp::model {
namespace {

constexpr std::uint32_t lanes = 16;  // a lane has a row
constexpr std::uint32_t vectors = vector_walk_rows / lanes;

// The nodes of 16 rows, as two words each.
struct nodes_read {
  __m512i conditions;  // position below, threshold from bit 16 on
  __m512i next;
};
[[nodiscard]] PACKETWARP_AVX512 inline nodes_read read_nodes(std::uint64_t const* nodes, __m512i at) {
  auto const low = _mm512_i32gather_epi64(_mm512_castsi512_si256(at), nodes, sizeof *nodes);
  auto const high = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(at, 1), nodes, sizeof *nodes);
  auto const even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  auto const odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  return {_mm512_permutex2var_epi32(low, even, high), _mm512_permutex2var_epi32(low, odd, high)};
}

// A feature of each row. Four bytes are loaded from a place that is a multiple of four, so that none lies beyond a row.
[[nodiscard]] PACKETWARP_AVX512 inline __m512i read_features(std::int8_t const* rows, __m512i positions) {
  auto const row_places = _mm512_slli_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                            std::countr_zero(row_bytes));
  auto const places = _mm512_and_si512(positions, _mm512_set1_epi32(row_bytes - 4));
  auto const four = _mm512_i32gather_epi32(_mm512_or_si512(row_places, places), rows, 1);
  // The byte goes up to the highest eight bits, and comes down with its sign.
  auto const bits = _mm512_slli_epi32(_mm512_andnot_si512(positions, _mm512_set1_epi32(3)), 3);
  return _mm512_srai_epi32(_mm512_sllv_epi32(four, bits), 24);
}

// All walks are independent of each other, so that the loads of one are under way while another one waits.
template <std::uint32_t Trees>
PACKETWARP_AVX512 inline void walk_together(std::uint64_t const* nodes, std::uint32_t const* roots,
                                            std::int8_t const* rows, std::uint32_t* leaves) {
  constexpr auto walks = Trees * vectors;
  __m512i at[walks];
  __m512i next[walks];
#pragma GCC unroll 8
  for (std::uint32_t w = 0; w < walks; ++w) at[w] = _mm512_set1_epi32(static_cast<std::int32_t>(roots[w / vectors]));
  for (std::uint32_t goes_on = 1; goes_on != 0;) {
    goes_on = 0;
#pragma GCC unroll 8
    for (std::uint32_t w = 0; w < walks; ++w) {
      auto const found = read_nodes(nodes, at[w]);
      auto const positions = _mm512_and_si512(found.conditions, _mm512_set1_epi32(0xff));
      auto const is_inner = _mm512_cmpneq_epi32_mask(positions, _mm512_set1_epi32(leaf_position));
      auto const values = read_features(rows + std::size_t{w % vectors} * lanes * row_bytes, positions);
      auto const is_above = _mm512_cmpgt_epi32_mask(values, _mm512_srai_epi32(found.conditions, 16));
      auto const after = _mm512_mask_add_epi32(found.next, is_above, found.next, _mm512_set1_epi32(1));
      at[w] = _mm512_mask_mov_epi32(at[w], is_inner, after);
      next[w] = found.next;
      goes_on |= is_inner;
    }
  }
#pragma GCC unroll 8
  for (std::uint32_t w = 0; w < walks; ++w) _mm512_storeu_si512(leaves + std::size_t{w} * lanes, next[w]);
}

}  // namespace

PACKETWARP_AVX512 void walk_trees_avx512(std::uint64_t const* nodes, std::uint32_t const* roots, std::uint32_t trees,
                                         std::int8_t const* rows, std::uint32_t* leaves) {
  if (trees == most_vector_trees) return walk_together<most_vector_trees>(nodes, roots, rows, leaves);
  for (std::uint32_t n = 0; n < trees; ++n) walk_together<1>(nodes, roots + n, rows, leaves + n * vector_walk_rows);
}

}  // namespace packetwarp::model
#else
namespace packetwarp::model {
void walk_trees_avx512(std::uint64_t const*, std::uint32_t const*, std::uint32_t, std::int8_t const*, std::uint32_t*) {}
}  // namespace packetwarp::model
#endif
