// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "model/evaluate_blocks.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define PACKETWARP_AVX2 __attribute__((target("avx2")))

namespace packetwarp::model {
namespace {

constexpr std::uint32_t halves = 2;  // a register has eight rows
constexpr std::uint32_t rows_of_half = block_rows / halves;
constexpr std::uint32_t half_bytes = group_bytes / halves;

// The bytes 0 and 2, or 1 and 3, of each group of four, as 16-bit numbers: products of these do not saturate.
PACKETWARP_AVX2 inline __m256i even_bytes(__m256i groups) { return _mm256_srai_epi16(_mm256_slli_epi16(groups, 8), 8); }
PACKETWARP_AVX2 inline __m256i odd_bytes(__m256i groups) { return _mm256_srai_epi16(groups, 8); }

// The sums of four outputs for all rows: sums[output][half].
PACKETWARP_AVX2 inline void sum_avx2(network_ref network, dense_layer const& layer, std::uint32_t output,
                                     std::uint8_t const* groups, __m256i (*sums)[halves]) {
  auto const* const bias = network.at<std::int32_t>(layer.bias) + output;
  auto const* weights = network.at<std::int8_t>(layer.weights) + std::size_t{output} * layer.padded_inputs;
  __m256i s[group_inputs][halves];
  for (std::uint32_t o = 0; o < group_inputs; ++o) s[o][0] = s[o][1] = _mm256_set1_epi32(bias[o]);
  for (std::uint32_t i = 0; i < layer.padded_inputs; i += group_inputs) {
    auto const* const from = groups + std::size_t{i} * block_rows;
    auto const low = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(from));
    auto const high = _mm256_loadu_si256(reinterpret_cast<__m256i const*>(from + half_bytes));
    __m256i const even[halves] = {even_bytes(low), even_bytes(high)};
    __m256i const odd[halves] = {odd_bytes(low), odd_bytes(high)};
    for (std::uint32_t o = 0; o < group_inputs; ++o) {
      auto const four = _mm256_set1_epi32(four_weights(weights + std::size_t{o} * layer.padded_inputs + i));
      auto const even_weights = even_bytes(four);
      auto const odd_weights = odd_bytes(four);
      for (std::uint32_t h = 0; h < halves; ++h) {
        auto const products =
            _mm256_add_epi32(_mm256_madd_epi16(even[h], even_weights), _mm256_madd_epi16(odd[h], odd_weights));
        s[o][h] = _mm256_add_epi32(s[o][h], products);
      }
    }
  }
  for (std::uint32_t o = 0; o < group_inputs; ++o) {
    for (std::uint32_t h = 0; h < halves; ++h) sums[o][h] = s[o][h];
  }
}

// AVX2 has no arithmetic shift of 64 bits, and no minimum: numbers are moved above 0 for the shift, and back.
PACKETWARP_AVX2 inline __m256i shifted_right(__m256i values, int shift) {
  auto const sign = _mm256_set1_epi64x(INT64_MIN);
  auto const count = _mm_cvtsi32_si128(shift);
  return _mm256_sub_epi64(_mm256_srl_epi64(_mm256_xor_si256(values, sign), count), _mm256_srl_epi64(sign, count));
}

// rescaled() of four 32-bit sums in the low halves of 64-bit lanes; without the zero point.
PACKETWARP_AVX2 inline __m256i rescale_half_avx2(__m256i sums, fixed_factor factor, result_range range) {
  auto const half = _mm256_set1_epi64x(std::int64_t{1} << (factor.shift - 1));
  auto const low = _mm256_set1_epi64x(range.low);
  auto const high = _mm256_set1_epi64x(range.high);
  auto const product = _mm256_mul_epi32(sums, _mm256_set1_epi32(factor.multiplier));
  auto value = shifted_right(_mm256_add_epi64(product, half), factor.shift);
  value = _mm256_blendv_epi8(value, low, _mm256_cmpgt_epi64(low, value));
  return _mm256_blendv_epi8(value, high, _mm256_cmpgt_epi64(value, high));
}

PACKETWARP_AVX2 inline __m256i rescale_avx2(__m256i sums, fixed_factor factor, result_range range) {
  auto const even = rescale_half_avx2(sums, factor, range);
  auto const odd = rescale_half_avx2(_mm256_srli_epi64(sums, 32), factor, range);
  auto const both = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
  return _mm256_add_epi32(both, _mm256_set1_epi32(range.zero_point));
}

// A layer's results as the next one's inputs.
PACKETWARP_AVX2 void inner_layer_avx2(network_ref network, dense_layer const& layer, std::uint8_t const* groups,
                                      std::uint8_t* next) {
  auto const* const scales = network.at<fixed_factor>(layer.scales);
  for (std::uint32_t output = 0; output < layer.padded_outputs; output += group_inputs) {
    __m256i sums[group_inputs][halves];
    sum_avx2(network, layer, output, groups, sums);
    for (std::uint32_t h = 0; h < halves; ++h) {
      auto group = _mm256_setzero_si256();
      for (std::uint32_t o = 0; o < group_inputs; ++o) {
        auto const result = rescale_avx2(sums[o][h], scales[output + o], layer.range);
        auto const byte = _mm256_and_si256(result, _mm256_set1_epi32(0xff));
        group = _mm256_or_si256(group, _mm256_sll_epi32(byte, _mm_cvtsi32_si128(static_cast<int>(8 * o))));
      }
      auto* const to = next + std::size_t{output} * block_rows + h * half_bytes;
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), group);
    }
  }
}

PACKETWARP_AVX2 void last_layer_avx2(network_ref network, dense_layer const& layer, std::uint8_t const* groups,
                                     std::int32_t* scores) {
  alignas(32) std::array<std::int32_t, rows_of_half> of_rows;
  for (std::uint32_t output = 0; output < layer.padded_outputs; output += group_inputs) {
    __m256i sums[group_inputs][halves];
    sum_avx2(network, layer, output, groups, sums);
    auto const end = output < layer.outputs ? std::min(group_inputs, layer.outputs - output) : 0;
    for (std::uint32_t o = 0; o < end; ++o) {
      for (std::uint32_t h = 0; h < halves; ++h) {
        auto result = sums[o][h];
        if (layer.scales != 0) {
          result = rescale_avx2(result, network.at<fixed_factor>(layer.scales)[output + o], layer.range);
        }
        _mm256_store_si256(reinterpret_cast<__m256i*>(of_rows.data()), result);
        for (std::uint32_t row = 0; row < rows_of_half; ++row) {
          scores[std::size_t{h * rows_of_half + row} * layer.outputs + output + o] = of_rows[row];
        }
      }
    }
  }
}

}  // namespace

void evaluate_block_avx2(network_ref network, std::int8_t const* rows, std::int32_t* scores) {
  alignas(32) std::array<std::uint8_t, std::size_t{most_width} * block_rows> first, second;
  auto* here = first.data();
  auto* next = second.data();
  group_rows(network, rows, here);
  auto const last = network.header().count - 1;
  for (std::uint32_t n = 0; n < last; ++n) {
    auto const& layer = network.layer(n);
    inner_layer_avx2(network, layer, here, next);
    clear_padding(layer, network.layer(n + 1), next);
    std::swap(here, next);
  }
  last_layer_avx2(network, network.layer(last), here, scores);
}

}  // namespace packetwarp::model
#else
namespace packetwarp::model {
void evaluate_block_avx2(network_ref, std::int8_t const*, std::int32_t*) {}
}  // namespace packetwarp::model
#endif
