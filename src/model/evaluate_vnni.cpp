// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "model/evaluate_blocks.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define PACKETWARP_VNNI __attribute__((target("avx2,avx512f,avx512bw,avx512vnni")))

namespace packetwarp::model {
namespace {

// The sums of some outputs for all rows of the blocks. Two blocks share the loads of weights and factors. The inputs of
// blocks side by side lie in groups, too: [input / 4][block][row][input % 4].
template <std::uint32_t Blocks, std::uint32_t Outputs>
struct block_sums {
  __m512i of[Outputs][Blocks];
};

// GCC copies a sum twice per product if the type that goes round a loop is not that of the instruction's numbers.
using words = __v16si;
[[nodiscard]] PACKETWARP_VNNI inline words with_products(words sum, __m512i inputs, __m512i weights) {
  return reinterpret_cast<words>(_mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), inputs, weights));
}

// The instruction multiplies unsigned by signed bytes, so that inputs have 128 added to them, and the bias is the one
// that takes it back.
template <std::uint32_t Blocks, std::uint32_t Outputs>
[[nodiscard]] PACKETWARP_VNNI inline block_sums<Blocks, Outputs> block_sums_of(network_ref network,
                                                                               dense_layer const& layer,
                                                                               std::uint32_t output,
                                                                               std::uint8_t const* groups) {
  auto const* const bias = network.at<std::int32_t>(layer.unsigned_bias) + output;
  auto const* const weights = network.at<std::int8_t>(layer.weights) + std::size_t{output} * layer.padded_inputs;
  words sums[Outputs][Blocks];
#pragma GCC unroll 8
  for (std::uint32_t o = 0; o < Outputs; ++o) {
    for (std::uint32_t b = 0; b < Blocks; ++b) sums[o][b] = reinterpret_cast<words>(_mm512_set1_epi32(bias[o]));
  }
  for (std::size_t i = 0; i < layer.used_inputs; i += group_inputs) {
    __m512i inputs[Blocks];
    for (std::uint32_t b = 0; b < Blocks; ++b) {
      inputs[b] = _mm512_load_si512(groups + i * block_rows * Blocks + std::size_t{b} * group_bytes);
    }
#pragma GCC unroll 8
    for (std::uint32_t o = 0; o < Outputs; ++o) {
      auto const by = _mm512_set1_epi32(four_weights(weights + std::size_t{o} * layer.padded_inputs + i));
      for (std::uint32_t b = 0; b < Blocks; ++b) sums[o][b] = with_products(sums[o][b], inputs[b], by);
    }
  }
  block_sums<Blocks, Outputs> made;
#pragma GCC unroll 8
  for (std::uint32_t o = 0; o < Outputs; ++o) {
    for (std::uint32_t b = 0; b < Blocks; ++b) made.of[o][b] = reinterpret_cast<__m512i>(sums[o][b]);
  }
  return made;
}

// For eight 32-bit sums in the low halves of 64-bit lanes: rescaled() without the zero point.
PACKETWARP_VNNI inline __m512i rescale_half_vnni(__m512i sums, fixed_factor factor, result_range range) {
  auto const half = _mm512_set1_epi64(std::int64_t{1} << (factor.shift - 1));
  auto const product = _mm512_mul_epi32(sums, _mm512_set1_epi32(factor.multiplier));
  auto const value = _mm512_sra_epi64(_mm512_add_epi64(product, half), _mm_cvtsi32_si128(factor.shift));
  return _mm512_min_epi64(_mm512_max_epi64(value, _mm512_set1_epi64(range.low)), _mm512_set1_epi64(range.high));
}

constexpr int word_bits = 32;

// Twice the numbers that rescaled() rounds, rounded down, for a shift by more than a word: only the upper words of the
// products count. shift_more: beyond a word and a bit.
[[nodiscard]] PACKETWARP_VNNI inline __m512i twice_rescaled(__m512i sums, std::int32_t multiplier,
                                                            std::int32_t shift_more) {
  constexpr __mmask16 even_lanes = 0x5555;
  auto const by = _mm512_set1_epi32(multiplier);
  auto const even = _mm512_mul_epi32(sums, by);
  auto const odd = _mm512_mul_epi32(_mm512_srli_epi64(sums, word_bits), by);
  auto const upper = _mm512_mask_shuffle_epi32(odd, even_lanes, even, _MM_PERM_DDBB);
  return _mm512_srav_epi32(upper, _mm512_set1_epi32(shift_more));
}

// rescaled() without the zero point, for any shift.
[[nodiscard]] PACKETWARP_VNNI inline __m512i rescaled_exactly(__m512i sums, fixed_factor factor, result_range range) {
  constexpr __mmask16 odd_lanes = 0xaaaa;
  auto const odd_sums = _mm512_srli_epi64(sums, word_bits);
  return _mm512_mask_blend_epi32(odd_lanes, rescale_half_vnni(sums, factor, range),
                                 _mm512_slli_epi64(rescale_half_vnni(odd_sums, factor, range), word_bits));
}

// The factors of outputs that are computed together, and how far the upper words of products are shifted.
class output_factors {
 public:
  static constexpr std::uint32_t outputs = output_multiple;

  PACKETWARP_VNNI explicit output_factors(fixed_factor const* factors) {
    constexpr __mmask16 shifts = 0xaaaa;
    static_assert(offsetof(fixed_factor, shift) == sizeof(std::int32_t) && sizeof words_ == sizeof(__m512i));
    auto const all = _mm512_loadu_si512(factors);
    are_long_ = _mm512_mask_cmple_epi32_mask(shifts, all, _mm512_set1_epi32(word_bits)) == 0;
    _mm512_store_si512(words_.data(), _mm512_mask_sub_epi32(all, shifts, all, _mm512_set1_epi32(word_bits + 1)));
  }
  [[nodiscard]] bool are_long() const { return are_long_; }
  [[nodiscard]] std::int32_t multiplier(std::uint32_t output) const { return words_[std::size_t{2} * output]; }
  [[nodiscard]] std::int32_t shift_more(std::uint32_t output) const { return words_[std::size_t{2} * output + 1]; }
  [[nodiscard]] fixed_factor factor(std::uint32_t output) const {
    return {multiplier(output), shift_more(output) + word_bits + 1};
  }

 private:
  alignas(64) std::array<std::int32_t, 2 * outputs> words_;
  bool are_long_;
};

// The results of four outputs for a block's rows, as a group of the next layer's inputs, 128 added.
class result_groups {
 public:
  PACKETWARP_VNNI explicit result_groups(result_range range)
      : half_and_zero_point_{_mm512_set1_epi16(static_cast<std::int16_t>(1 + 2 * range.zero_point))},
        low_{_mm512_set1_epi8(static_cast<char>(range.low + range.zero_point))},
        high_{_mm512_set1_epi8(static_cast<char>(range.high + range.zero_point))} {}

  // twice: as twice_rescaled(). Numbers of 16 bits, and then of eight, that are too large become the nearest ones: the
  // bounds are nearer.
  [[nodiscard]] PACKETWARP_VNNI __m512i of(__m512i const (&twice)[group_inputs]) const {
    auto const first = rounded(_mm512_packs_epi32(twice[0], twice[1]));
    auto const second = rounded(_mm512_packs_epi32(twice[2], twice[3]));
    auto const bytes = _mm512_min_epi8(_mm512_max_epi8(_mm512_packs_epi16(first, second), low_), high_);
    // For four rows: from the outputs one after another to the rows one after another.
    auto const by_row = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_xor_si512(_mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(by_row)),
                            _mm512_set1_epi8(static_cast<char>(0x80)));
  }

 private:
  [[nodiscard]] PACKETWARP_VNNI __m512i rounded(__m512i twice) const {
    return _mm512_srai_epi16(_mm512_adds_epi16(twice, half_and_zero_point_), 1);
  }

  __m512i half_and_zero_point_;
  __m512i low_;
  __m512i high_;
};

// Sums become numbers as those of twice_rescaled().
template <std::uint32_t Blocks, std::uint32_t Outputs>
PACKETWARP_VNNI inline void rescale_twice(block_sums<Blocks, Outputs>& sums, output_factors const& factors) {
#pragma GCC unroll 8
  for (std::uint32_t o = 0; o < Outputs; ++o) {
    for (auto& sum : sums.of[o]) sum = twice_rescaled(sum, factors.multiplier(o), factors.shift_more(o));
  }
}
template <std::uint32_t Blocks, std::uint32_t Outputs>
[[gnu::noinline, gnu::cold]] PACKETWARP_VNNI void rescale_exactly(block_sums<Blocks, Outputs>& sums,
                                                                  output_factors const& factors, result_range range) {
  for (std::uint32_t o = 0; o < Outputs; ++o) {
    for (auto& sum : sums.of[o]) sum = _mm512_slli_epi32(rescaled_exactly(sum, factors.factor(o), range), 1);
  }
}

// A layer's results as the next one's inputs.
template <std::uint32_t Blocks>
PACKETWARP_VNNI void inner_layer_vnni(network_ref network, dense_layer const& layer, std::uint8_t const* groups,
                                      std::uint8_t* next) {
  constexpr auto at_once = output_factors::outputs;
  result_groups const results{layer.range};
  for (std::uint32_t output = 0; output < layer.padded_outputs; output += at_once) {
    auto sums = block_sums_of<Blocks, at_once>(network, layer, output, groups);
    output_factors const factors{network.at<fixed_factor>(layer.scales) + output};
    if (factors.are_long()) [[likely]] {
      rescale_twice(sums, factors);
    } else {
      rescale_exactly(sums, factors, layer.range);
    }
#pragma GCC unroll 2
    for (std::uint32_t o = 0; o < at_once; o += group_inputs) {
      for (std::uint32_t b = 0; b < Blocks; ++b) {
        __m512i const four[]{sums.of[o][b], sums.of[o + 1][b], sums.of[o + 2][b], sums.of[o + 3][b]};
        _mm512_store_si512(next + std::size_t{output + o} * block_rows * Blocks + std::size_t{b} * group_bytes,
                           results.of(four));
      }
    }
  }
}

// Numbers of 32 bits; a bound is one, too.
[[nodiscard]] PACKETWARP_VNNI inline __m512i bounded(__m512i values, result_range range) {
  auto const low = _mm512_set1_epi32(range.low);
  auto const high = _mm512_set1_epi32(range.high);
  return _mm512_add_epi32(_mm512_min_epi32(_mm512_max_epi32(values, low), high), _mm512_set1_epi32(range.zero_point));
}

// All of a sum's 32 bits count.
[[nodiscard]] PACKETWARP_VNNI inline __m512i last_result(__m512i sums, fixed_factor factor, result_range range) {
  if (factor.shift <= word_bits) return bounded(rescaled_exactly(sums, factor, range), range);
  auto const twice = twice_rescaled(sums, factor.multiplier, factor.shift - word_bits - 1);
  return bounded(_mm512_srai_epi32(_mm512_add_epi32(twice, _mm512_set1_epi32(1)), 1), range);
}

template <std::uint32_t Blocks, std::uint32_t Outputs>
PACKETWARP_VNNI void put_scores(network_ref network, dense_layer const& layer, std::uint32_t output,
                                std::uint8_t const* groups, std::int32_t* scores) {
  alignas(64) std::array<std::int32_t, std::size_t{block_rows} * Blocks> of_rows;
  auto const sums = block_sums_of<Blocks, Outputs>(network, layer, output, groups);
  for (std::uint32_t o = 0; o < Outputs; ++o) {
    for (std::uint32_t b = 0; b < Blocks; ++b) {
      auto result = sums.of[o][b];
      if (layer.scales != 0) {
        result = last_result(result, network.at<fixed_factor>(layer.scales)[output + o], layer.range);
      }
      _mm512_store_si512(of_rows.data() + std::size_t{b} * block_rows, result);
    }
    auto* to = scores + output + o;
    for (auto const score : of_rows) {
      *to = score;
      to += layer.outputs;
    }
  }
}
template <std::uint32_t Blocks>
PACKETWARP_VNNI void last_layer_vnni(network_ref network, dense_layer const& layer, std::uint8_t const* groups,
                                     std::int32_t* scores) {
  constexpr std::uint32_t at_once = 4;
  std::uint32_t output = 0;
  for (; output + at_once <= layer.outputs; output += at_once) {
    put_scores<Blocks, at_once>(network, layer, output, groups, scores);
  }
  for (; output + 2 <= layer.outputs; output += 2) put_scores<Blocks, 2>(network, layer, output, groups, scores);
  if (output < layer.outputs) put_scores<Blocks, 1>(network, layer, output, groups, scores);
}

// Four inputs of each of four groups, of the rows number, number + 4, ...
[[nodiscard]] PACKETWARP_VNNI inline __m512i every_fourth_row(std::int8_t const* rows, std::uint32_t number) {
  auto const* const from = rows + std::size_t{number} * row_bytes;
  constexpr std::size_t step = std::size_t{4} * row_bytes;
  auto const load = [from](std::size_t row) PACKETWARP_VNNI {
    return _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + row * step));
  };
  auto all = _mm512_castsi128_si512(load(0));
  all = _mm512_mask_broadcast_i32x4(all, 0x00f0, load(1));
  all = _mm512_mask_broadcast_i32x4(all, 0x0f00, load(2));
  return _mm512_mask_broadcast_i32x4(all, 0xf000, load(3));
}

// The rows of a block in groups, which lie `step` bytes from each other.
PACKETWARP_VNNI inline void group_rows_vnni(std::int8_t const* rows, std::uint32_t used, std::uint8_t* groups,
                                            std::size_t step) {
  constexpr std::uint32_t at_once = 4 * group_inputs;
  for (std::uint32_t i = 0; i < used; i += at_once, groups += 4 * step) {
    auto const first = every_fourth_row(rows + i, 0);
    auto const second = every_fourth_row(rows + i, 1);
    auto const third = every_fourth_row(rows + i, 2);
    auto const fourth = every_fourth_row(rows + i, 3);
    auto const low = _mm512_unpacklo_epi32(first, second);
    auto const high = _mm512_unpackhi_epi32(first, second);
    auto const next_low = _mm512_unpacklo_epi32(third, fourth);
    auto const next_high = _mm512_unpackhi_epi32(third, fourth);
    _mm512_store_si512(groups, _mm512_unpacklo_epi64(low, next_low));
    _mm512_store_si512(groups + step, _mm512_unpackhi_epi64(low, next_low));
    _mm512_store_si512(groups + 2 * step, _mm512_unpacklo_epi64(high, next_high));
    _mm512_store_si512(groups + 3 * step, _mm512_unpackhi_epi64(high, next_high));
  }
}

template <std::uint32_t Blocks>
PACKETWARP_VNNI void evaluate_together(network_ref network, std::int8_t const* rows, std::int32_t* scores) {
  alignas(64) std::array<std::uint8_t, std::size_t{most_width} * block_rows * Blocks> first, second;
  auto* here = first.data();
  auto* next = second.data();
  auto const used = network.layer(0).used_inputs;
  for (std::uint32_t b = 0; b < Blocks; ++b) {
    group_rows_vnni(rows + std::size_t{b} * block_rows * row_bytes, used, here + std::size_t{b} * group_bytes,
                    std::size_t{Blocks} * group_bytes);
  }
  read_by_table(network, used * Blocks, here);
  auto const bytes = std::size_t{used} * block_rows * Blocks;
  for (std::size_t i = 0; i < bytes; i += sizeof(__m512i)) {
    _mm512_store_si512(here + i, _mm512_xor_si512(_mm512_load_si512(here + i), _mm512_set1_epi8(char(0x80))));
  }
  auto const last = network.header().count - 1;
  for (std::uint32_t n = 0; n < last; ++n) {
    inner_layer_vnni<Blocks>(network, network.layer(n), here, next);
    std::swap(here, next);
  }
  last_layer_vnni<Blocks>(network, network.layer(last), here, scores);
}

}  // namespace

PACKETWARP_VNNI void evaluate_block_vnni(network_ref network, std::int8_t const* rows, std::int32_t* scores) {
  evaluate_together<1>(network, rows, scores);
}
PACKETWARP_VNNI void evaluate_two_blocks_vnni(network_ref network, std::int8_t const* rows, std::int32_t* scores) {
  evaluate_together<2>(network, rows, scores);
}

}  // namespace packetwarp::model
#else
namespace packetwarp::model {
void evaluate_block_vnni(network_ref, std::int8_t const*, std::int32_t*) {}
void evaluate_two_blocks_vnni(network_ref, std::int8_t const*, std::int32_t*) {}
}  // namespace packetwarp::model
#endif
