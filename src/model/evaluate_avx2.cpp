// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/evaluate_blocks.h"
#include "model/group_rows_avx2.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace packetwarp::model {
namespace {

[[nodiscard]] PACKETWARP_AVX2 inline __m256i load_groups(std::uint8_t const* from) {
  return _mm256_load_si256(reinterpret_cast<__m256i const*>(from));
}

// Inputs from -128 to 127. The bytes 0 and 2, or 1 and 3, of each group of four are 16-bit numbers: products of these
// do not saturate.
struct any_inputs {
  struct four {
    __m256i even;
    __m256i odd;
  };
  [[nodiscard]] PACKETWARP_AVX2 static four of(__m256i groups) {
    return {_mm256_srai_epi16(_mm256_slli_epi16(groups, 8), 8), _mm256_srai_epi16(groups, 8)};
  }
  [[nodiscard]] PACKETWARP_AVX2 static __m256i products(four const& inputs, four const& weights) {
    return _mm256_add_epi32(_mm256_madd_epi16(inputs.even, weights.even), _mm256_madd_epi16(inputs.odd, weights.odd));
  }
};

// Inputs from 0 to 127: the sum of two of their products with weights is 2 x 127 x 128 at most, and fits into 16 bits.
struct natural_inputs {
  using four = __m256i;
  [[nodiscard]] PACKETWARP_AVX2 static four of(__m256i groups) { return groups; }
  [[nodiscard]] PACKETWARP_AVX2 static __m256i products(four inputs, four weights) {
    return _mm256_madd_epi16(_mm256_maddubs_epi16(inputs, weights), _mm256_set1_epi16(1));
  }
};

// The sums of some outputs for eight rows; groups: of these rows, in a block. More sums at once do not fit into the
// registers.
template <std::uint32_t Outputs>
struct output_sums {
  __m256i of[Outputs];
};

template <class Inputs, std::uint32_t Outputs>
[[nodiscard]] PACKETWARP_AVX2 inline output_sums<Outputs> sums_of(network_ref network, dense_layer const& layer,
                                                                  std::uint32_t output, std::uint8_t const* groups) {
  auto const* const bias = network.at<std::int32_t>(layer.bias) + output;
  auto const* const weights = network.at<std::int8_t>(layer.weights) + std::size_t{output} * layer.padded_inputs;
  output_sums<Outputs> sums;
  std::int8_t const* weights_of[Outputs];
  for (std::uint32_t o = 0; o < Outputs; ++o) {
    sums.of[o] = _mm256_set1_epi32(bias[o]);
    weights_of[o] = weights + std::size_t{o} * layer.padded_inputs;
  }
  for (std::size_t i = 0; i < layer.used_inputs; i += group_inputs) {
    auto const inputs = Inputs::of(load_groups(groups + i * block_rows));
    for (std::uint32_t o = 0; o < Outputs; ++o) {
      auto const by = Inputs::of(_mm256_set1_epi32(four_weights(weights_of[o] + i)));
      sums.of[o] = _mm256_add_epi32(sums.of[o], Inputs::products(inputs, by));
    }
  }
  return sums;
}

// AVX2 has no arithmetic shift of 64 bits, and no minimum: numbers are moved above 0 for the shift, and back.
PACKETWARP_AVX2 inline __m256i shifted_right(__m256i values, int shift) {
  auto const sign = _mm256_set1_epi64x(INT64_MIN);
  auto const count = _mm_cvtsi32_si128(shift);
  return _mm256_sub_epi64(_mm256_srl_epi64(_mm256_xor_si256(values, sign), count), _mm256_srl_epi64(sign, count));
}

// For four 32-bit sums in the low halves of 64-bit lanes: rescaled() without the zero point.
PACKETWARP_AVX2 inline __m256i rescale_half(__m256i sums, fixed_factor factor, result_range range) {
  auto const half = _mm256_set1_epi64x(std::int64_t{1} << (factor.shift - 1));
  auto const low = _mm256_set1_epi64x(range.low);
  auto const high = _mm256_set1_epi64x(range.high);
  auto const product = _mm256_mul_epi32(sums, _mm256_set1_epi32(factor.multiplier));
  auto value = shifted_right(_mm256_add_epi64(product, half), factor.shift);
  value = _mm256_blendv_epi8(value, low, _mm256_cmpgt_epi64(low, value));
  return _mm256_blendv_epi8(value, high, _mm256_cmpgt_epi64(value, high));
}

// rescaled() without the zero point, and within the bounds or beyond them on the same side.
PACKETWARP_AVX2 inline __m256i rescale_avx2(__m256i sums, fixed_factor factor, result_range range) {
  constexpr int word_bits = 32;
  auto const odd_sums = _mm256_srli_epi64(sums, word_bits);
  if (factor.shift > word_bits) [[likely]] {
    // Only the upper words of the products count. The last bit that is shifted out says where the number is rounded to.
    auto const multiplier = _mm256_set1_epi32(factor.multiplier);
    auto const even = _mm256_mul_epi32(sums, multiplier);
    auto const odd = _mm256_mul_epi32(odd_sums, multiplier);
    auto const upper = _mm256_blend_epi32(_mm256_srli_epi64(even, word_bits), odd, 0xaa);
    auto const twice = _mm256_sra_epi32(upper, _mm_cvtsi32_si128(factor.shift - word_bits - 1));
    return _mm256_srai_epi32(_mm256_add_epi32(twice, _mm256_set1_epi32(1)), 1);
  }
  return _mm256_blend_epi32(rescale_half(sums, factor, range),
                            _mm256_slli_epi64(rescale_half(odd_sums, factor, range), word_bits), 0xaa);
}

// The results of four outputs for eight rows, as a group of the next layer's inputs.
class result_group {
 public:
  PACKETWARP_AVX2 explicit result_group(result_range range)
      : zero_point_{_mm256_set1_epi16(static_cast<std::int16_t>(range.zero_point))},
        low_{_mm256_set1_epi8(static_cast<char>(range.low + range.zero_point))},
        high_{_mm256_set1_epi8(static_cast<char>(range.high + range.zero_point))} {}

  // Numbers of 16 bits, and then of eight, that are too large become the nearest ones: the bounds are nearer.
  [[nodiscard]] PACKETWARP_AVX2 __m256i of(__m256i const (&values)[group_inputs]) const {
    auto const first = _mm256_adds_epi16(_mm256_packs_epi32(values[0], values[1]), zero_point_);
    auto const second = _mm256_adds_epi16(_mm256_packs_epi32(values[2], values[3]), zero_point_);
    auto const bytes = _mm256_min_epi8(_mm256_max_epi8(_mm256_packs_epi16(first, second), low_), high_);
    // For four rows: from the outputs one after another to the rows one after another.
    auto const by_row = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm256_shuffle_epi8(bytes, _mm256_broadcastsi128_si256(by_row));
  }

 private:
  __m256i zero_point_;
  __m256i low_;
  __m256i high_;
};

// A layer's results as the next one's inputs.
template <class Inputs>
PACKETWARP_AVX2 void inner_layer_avx2(network_ref network, dense_layer const& layer, std::uint8_t const* groups,
                                      std::uint8_t* next) {
  auto const* const scales = network.at<fixed_factor>(layer.scales);
  result_group const results{layer.range};
  for (std::uint32_t output = 0; output < layer.padded_outputs; output += group_inputs) {
    for (std::uint32_t h = 0; h < halves; ++h) {
      auto sums = sums_of<Inputs, group_inputs>(network, layer, output, groups + h * half_bytes);
      for (std::uint32_t o = 0; o < group_inputs; ++o) {
        sums.of[o] = rescale_avx2(sums.of[o], scales[output + o], layer.range);
      }
      store_groups(next + std::size_t{output} * block_rows + h * half_bytes, results.of(sums.of));
    }
  }
}

// Numbers of 32 bits; a bound is one, too.
[[nodiscard]] PACKETWARP_AVX2 inline __m256i bounded(__m256i values, result_range range) {
  auto const low = _mm256_set1_epi32(range.low);
  auto const high = _mm256_set1_epi32(range.high);
  return _mm256_add_epi32(_mm256_min_epi32(_mm256_max_epi32(values, low), high), _mm256_set1_epi32(range.zero_point));
}

template <class Inputs>
PACKETWARP_AVX2 void last_layer_avx2(network_ref network, dense_layer const& layer, std::uint8_t const* groups,
                                     std::int32_t* scores) {
  alignas(32) std::array<std::int32_t, rows_of_half> of_rows;
  for (std::uint32_t output = 0; output < layer.outputs; ++output) {
    for (std::uint32_t h = 0; h < halves; ++h) {
      auto result = sums_of<Inputs, 1>(network, layer, output, groups + h * half_bytes).of[0];
      if (layer.scales != 0) {
        auto const factor = network.at<fixed_factor>(layer.scales)[output];
        result = bounded(rescale_avx2(result, factor, layer.range), layer.range);
      }
      _mm256_store_si256(reinterpret_cast<__m256i*>(of_rows.data()), result);
      for (std::uint32_t row = 0; row < rows_of_half; ++row) {
        scores[std::size_t{h * rows_of_half + row} * layer.outputs + output] = of_rows[row];
      }
    }
  }
}

[[nodiscard]] PACKETWARP_AVX2 inline bool are_natural(std::uint8_t const* groups, std::uint32_t used) {
  auto all = _mm256_setzero_si256();
  for (std::size_t i = 0; i < std::size_t{used} * block_rows; i += half_bytes)
    all = _mm256_or_si256(all, load_groups(groups + i));
  return _mm256_movemask_epi8(all) == 0;
}

// The layers from the number `n` on; groups: the inputs of that layer, spare: as much memory. The results of a layer
// are all natural or not by its range.
template <class Inputs>
PACKETWARP_AVX2 void evaluate_layers(network_ref network, std::uint32_t n, std::uint8_t* groups, std::uint8_t* spare,
                                     std::int32_t* scores) {
  auto const& layer = network.layer(n);
  if (n + 1 == network.header().count) return last_layer_avx2<Inputs>(network, layer, groups, scores);
  inner_layer_avx2<Inputs>(network, layer, groups, spare);
  if (layer.range.low + layer.range.zero_point >= 0) {
    return evaluate_layers<natural_inputs>(network, n + 1, spare, groups, scores);
  }
  return evaluate_layers<any_inputs>(network, n + 1, spare, groups, scores);
}

}  // namespace

PACKETWARP_AVX2 void evaluate_block_avx2(network_ref network, std::int8_t const* rows, std::int32_t* scores) {
  alignas(32) std::array<std::uint8_t, std::size_t{most_width} * block_rows> first, second;
  auto const used = network.layer(0).used_inputs;
  group_rows_avx2(network, rows, used, first.data());
  if (are_natural(first.data(), used)) {
    return evaluate_layers<natural_inputs>(network, 0, first.data(), second.data(), scores);
  }
  return evaluate_layers<any_inputs>(network, 0, first.data(), second.data(), scores);
}

}  // namespace packetwarp::model
#else
namespace packetwarp::model {
void evaluate_block_avx2(network_ref, std::int8_t const*, std::int32_t*) {}
}  // namespace packetwarp::model
#endif
