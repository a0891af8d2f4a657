// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "model/evaluate_blocks.h"

#if defined(__x86_64__)
#include <immintrin.h>

// GCC and Clang compile a function for the instructions that it names, whatever the rest of the program is compiled
// for.
#define PACKETWARP_VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

namespace packetwarp::model {
namespace {

constexpr std::uint32_t outputs_at_once = output_multiple;

// The sums of eight outputs for all rows. The instruction multiplies unsigned by signed bytes, so that inputs have 128
// added to them, and the bias is the one that takes it back.
PACKETWARP_VNNI inline void sum_vnni(network_ref network, dense_layer const& layer, std::uint32_t output,
                                     std::uint8_t const* groups, __m512i* sums) {
  auto const* const bias = network.at<std::int32_t>(layer.unsigned_bias) + output;
  auto const* weights = network.at<std::int8_t>(layer.weights) + std::size_t{output} * layer.padded_inputs;
  __m512i s[outputs_at_once];
  for (std::uint32_t o = 0; o < outputs_at_once; ++o) s[o] = _mm512_set1_epi32(bias[o]);
  for (std::uint32_t i = 0; i < layer.padded_inputs; i += group_inputs) {
    auto const inputs = _mm512_loadu_si512(groups + std::size_t{i} * block_rows);
    for (std::uint32_t o = 0; o < outputs_at_once; ++o) {
      s[o] = _mm512_dpbusd_epi32(s[o], inputs,
                                 _mm512_set1_epi32(four_weights(weights + std::size_t{o} * layer.padded_inputs + i)));
    }
  }
  for (std::uint32_t o = 0; o < outputs_at_once; ++o) sums[o] = s[o];
}

// rescaled() of eight 32-bit sums in the low halves of 64-bit lanes; without the zero point.
PACKETWARP_VNNI inline __m512i rescale_half_vnni(__m512i sums, fixed_factor factor, result_range range) {
  auto const half = _mm512_set1_epi64(std::int64_t{1} << (factor.shift - 1));
  auto const product = _mm512_mul_epi32(sums, _mm512_set1_epi32(factor.multiplier));
  auto const value = _mm512_sra_epi64(_mm512_add_epi64(product, half), _mm_cvtsi32_si128(factor.shift));
  return _mm512_min_epi64(_mm512_max_epi64(value, _mm512_set1_epi64(range.low)), _mm512_set1_epi64(range.high));
}

PACKETWARP_VNNI inline __m512i rescale_vnni(__m512i sums, fixed_factor factor, result_range range) {
  auto const even = rescale_half_vnni(sums, factor, range);
  auto const odd = rescale_half_vnni(_mm512_srli_epi64(sums, 32), factor, range);
  auto const both = _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
  return _mm512_add_epi32(both, _mm512_set1_epi32(range.zero_point));
}

// A layer's results as the next one's inputs, 128 added.
PACKETWARP_VNNI void inner_layer_vnni(network_ref network, dense_layer const& layer, std::uint8_t const* groups,
                                      std::uint8_t* next) {
  auto const* const scales = network.at<fixed_factor>(layer.scales);
  for (std::uint32_t output = 0; output < layer.padded_outputs; output += outputs_at_once) {
    __m512i sums[outputs_at_once];
    sum_vnni(network, layer, output, groups, sums);
    for (std::uint32_t first = 0; first < outputs_at_once; first += group_inputs) {
      auto group = _mm512_setzero_si512();
      for (std::uint32_t o = 0; o < group_inputs; ++o) {
        auto const result = rescale_vnni(sums[first + o], scales[output + first + o], layer.range);
        auto const byte = _mm512_and_si512(result, _mm512_set1_epi32(0xff));
        group = _mm512_or_si512(group, _mm512_sll_epi32(byte, _mm_cvtsi32_si128(static_cast<int>(8 * o))));
      }
      group = _mm512_xor_si512(group, _mm512_set1_epi8(static_cast<char>(0x80)));
      _mm512_storeu_si512(next + std::size_t{output + first} * block_rows, group);
    }
  }
}

PACKETWARP_VNNI void last_layer_vnni(network_ref network, dense_layer const& layer, std::uint8_t const* groups,
                                     std::int32_t* scores) {
  alignas(64) std::array<std::int32_t, block_rows> of_rows;
  for (std::uint32_t output = 0; output < layer.padded_outputs; output += outputs_at_once) {
    __m512i sums[outputs_at_once];
    sum_vnni(network, layer, output, groups, sums);
    auto const end = std::min(outputs_at_once, layer.outputs - output);
    for (std::uint32_t o = 0; o < end; ++o) {
      auto result = sums[o];
      if (layer.scales != 0) {
        result = rescale_vnni(result, network.at<fixed_factor>(layer.scales)[output + o], layer.range);
      }
      _mm512_store_si512(of_rows.data(), result);
      for (std::uint32_t row = 0; row < block_rows; ++row) {
        scores[std::size_t{row} * layer.outputs + output + o] = of_rows[row];
      }
    }
  }
}

}  // namespace

void evaluate_block_vnni(network_ref network, std::int8_t const* rows, std::int32_t* scores) {
  alignas(64) std::array<std::uint8_t, std::size_t{most_width} * block_rows> first, second;
  auto* here = first.data();
  auto* next = second.data();
  group_rows(network, rows, here);
  for (std::uint32_t i = 0; i < row_bytes * block_rows; ++i) here[i] ^= 0x80;
  auto const last = network.header().count - 1;
  for (std::uint32_t n = 0; n < last; ++n) {
    auto const& layer = network.layer(n);
    inner_layer_vnni(network, layer, here, next);
    clear_padding(layer, network.layer(n + 1), next);
    std::swap(here, next);
  }
  last_layer_vnni(network, network.layer(last), here, scores);
}

}  // namespace packetwarp::model
#else
namespace packetwarp::model {
void evaluate_block_vnni(network_ref, std::int8_t const*, std::int32_t*) {}
}  // namespace packetwarp::model
#endif
