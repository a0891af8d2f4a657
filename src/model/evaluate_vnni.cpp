// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "model/evaluate_blocks.h"
#include "model/group_rows_avx2.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define PACKETWARP_VNNI __attribute__((target("avx2,avx512f,avx512bw,avx512vnni")))

namespace packetwarp::model {
namespace {

// The sums of some outputs for all rows.
template <std::uint32_t Outputs>
struct block_sums {
  __m512i of[Outputs];
};

// The instruction multiplies unsigned by signed bytes, so that inputs have 128 added to them, and the bias is the one
// that takes it back.
template <std::uint32_t Outputs>
[[nodiscard]] PACKETWARP_VNNI inline block_sums<Outputs> block_sums_of(network_ref network, dense_layer const& layer,
                                                                       std::uint32_t output,
                                                                       std::uint8_t const* groups) {
  auto const* const bias = network.at<std::int32_t>(layer.unsigned_bias) + output;
  auto const* const weights = network.at<std::int8_t>(layer.weights) + std::size_t{output} * layer.padded_inputs;
  block_sums<Outputs> sums;
  for (std::uint32_t o = 0; o < Outputs; ++o) sums.of[o] = _mm512_set1_epi32(bias[o]);
  for (std::size_t i = 0; i < layer.used_inputs; i += group_inputs) {
    auto const inputs = _mm512_loadu_si512(groups + i * block_rows);
    for (std::uint32_t o = 0; o < Outputs; ++o) {
      auto const by = _mm512_set1_epi32(four_weights(weights + std::size_t{o} * layer.padded_inputs + i));
      sums.of[o] = _mm512_dpbusd_epi32(sums.of[o], inputs, by);
    }
  }
  return sums;
}

// For eight 32-bit sums in the low halves of 64-bit lanes: rescaled() without the zero point.
PACKETWARP_VNNI inline __m512i rescale_half_vnni(__m512i sums, fixed_factor factor, result_range range) {
  auto const half = _mm512_set1_epi64(std::int64_t{1} << (factor.shift - 1));
  auto const product = _mm512_mul_epi32(sums, _mm512_set1_epi32(factor.multiplier));
  auto const value = _mm512_sra_epi64(_mm512_add_epi64(product, half), _mm_cvtsi32_si128(factor.shift));
  return _mm512_min_epi64(_mm512_max_epi64(value, _mm512_set1_epi64(range.low)), _mm512_set1_epi64(range.high));
}

// rescaled() without the zero point, and within the bounds or beyond them on the same side.
PACKETWARP_VNNI inline __m512i rescale_vnni(__m512i sums, fixed_factor factor, result_range range) {
  constexpr int word_bits = 32;
  auto const odd_sums = _mm512_srli_epi64(sums, word_bits);
  if (factor.shift > word_bits) [[likely]] {
    // Only the upper words of the products count. The last bit that is shifted out says where the number is rounded to.
    auto const multiplier = _mm512_set1_epi32(factor.multiplier);
    auto const even = _mm512_mul_epi32(sums, multiplier);
    auto const odd = _mm512_mul_epi32(odd_sums, multiplier);
    auto const upper = _mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, word_bits), odd);
    auto const twice = _mm512_sra_epi32(upper, _mm_cvtsi32_si128(factor.shift - word_bits - 1));
    return _mm512_srai_epi32(_mm512_add_epi32(twice, _mm512_set1_epi32(1)), 1);
  }
  return _mm512_mask_blend_epi32(0xaaaa, rescale_half_vnni(sums, factor, range),
                                 _mm512_slli_epi64(rescale_half_vnni(odd_sums, factor, range), word_bits));
}

// The results of four outputs for all rows, as a group of the next layer's inputs, 128 added.
class result_groups {
 public:
  PACKETWARP_VNNI explicit result_groups(result_range range)
      : zero_point_{_mm512_set1_epi16(static_cast<std::int16_t>(range.zero_point))},
        low_{_mm512_set1_epi8(static_cast<char>(range.low + range.zero_point))},
        high_{_mm512_set1_epi8(static_cast<char>(range.high + range.zero_point))} {}

  // Numbers of 16 bits, and then of eight, that are too large become the nearest ones: the bounds are nearer.
  [[nodiscard]] PACKETWARP_VNNI __m512i of(__m512i const* values) const {
    auto const first = _mm512_adds_epi16(_mm512_packs_epi32(values[0], values[1]), zero_point_);
    auto const second = _mm512_adds_epi16(_mm512_packs_epi32(values[2], values[3]), zero_point_);
    auto const bytes = _mm512_min_epi8(_mm512_max_epi8(_mm512_packs_epi16(first, second), low_), high_);
    // For four rows: from the outputs one after another to the rows one after another.
    auto const by_row = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_xor_si512(_mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(by_row)),
                            _mm512_set1_epi8(static_cast<char>(0x80)));
  }

 private:
  __m512i zero_point_;
  __m512i low_;
  __m512i high_;
};

// A layer's results as the next one's inputs.
PACKETWARP_VNNI void inner_layer_vnni(network_ref network, dense_layer const& layer, std::uint8_t const* groups,
                                      std::uint8_t* next) {
  constexpr std::uint32_t at_once = output_multiple;
  auto const* const scales = network.at<fixed_factor>(layer.scales);
  result_groups const results{layer.range};
  for (std::uint32_t output = 0; output < layer.padded_outputs; output += at_once) {
    auto sums = block_sums_of<at_once>(network, layer, output, groups);
    for (std::uint32_t o = 0; o < at_once; ++o) {
      sums.of[o] = rescale_vnni(sums.of[o], scales[output + o], layer.range);
    }
    for (std::uint32_t o = 0; o < at_once; o += group_inputs) {
      _mm512_storeu_si512(next + std::size_t{output + o} * block_rows, results.of(sums.of + o));
    }
  }
}

// Numbers of 32 bits; a bound is one, too.
[[nodiscard]] PACKETWARP_VNNI inline __m512i bounded(__m512i values, result_range range) {
  auto const low = _mm512_set1_epi32(range.low);
  auto const high = _mm512_set1_epi32(range.high);
  return _mm512_add_epi32(_mm512_min_epi32(_mm512_max_epi32(values, low), high), _mm512_set1_epi32(range.zero_point));
}

PACKETWARP_VNNI void last_layer_vnni(network_ref network, dense_layer const& layer, std::uint8_t const* groups,
                                     std::int32_t* scores) {
  alignas(64) std::array<std::int32_t, block_rows> of_rows;
  for (std::uint32_t output = 0; output < layer.outputs; ++output) {
    auto result = block_sums_of<1>(network, layer, output, groups).of[0];
    if (layer.scales != 0) {
      result = bounded(rescale_vnni(result, network.at<fixed_factor>(layer.scales)[output], layer.range), layer.range);
    }
    _mm512_store_si512(of_rows.data(), result);
    for (std::uint32_t row = 0; row < block_rows; ++row) {
      scores[std::size_t{row} * layer.outputs + output] = of_rows[row];
    }
  }
}

}  // namespace

PACKETWARP_VNNI void evaluate_block_vnni(network_ref network, std::int8_t const* rows, std::int32_t* scores) {
  alignas(64) std::array<std::uint8_t, std::size_t{most_width} * block_rows> first, second;
  auto* here = first.data();
  auto* next = second.data();
  auto const used = network.layer(0).used_inputs;
  group_rows_avx2(network, rows, used, here);
  for (std::uint32_t i = 0; i < used * block_rows; ++i) here[i] ^= 0x80;
  auto const last = network.header().count - 1;
  for (std::uint32_t n = 0; n < last; ++n) {
    inner_layer_vnni(network, network.layer(n), here, next);
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
