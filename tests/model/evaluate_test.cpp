// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "model/dense_models.h"

namespace packetwarp::model::test {
namespace {

// Networks of random weights and scales, written part by part as a loader does. A factor may be far from the useful
// ones, and weights and rows have their extreme values.
class random_networks {
 public:
  explicit random_networks(std::uint32_t seed) : random_{seed} {}

  [[nodiscard]] integer_network make() {
    network_writer writer;
    std::vector<dense_layer> layers;
    auto inputs = below(row_bytes) + 1;
    auto const count = below(4) + 1;
    for (std::uint32_t n = 0; n < count; ++n) {
      auto const outputs = below(n + 1 == count ? 20 : 100) + 1;
      layers.push_back(layer(writer, n == 0 ? row_bytes : (inputs + 31) / 32 * 32, inputs, outputs));
      if (n + 1 == count && below(2) == 0) layers.back().scales = 0;
      inputs = outputs;
    }
    writer.header.kind = network_kind::dense;
    writer.header.count = count;
    writer.header.outputs = layers.back().outputs;
    if (below(2) == 0) writer.header.input_table = writer.add(bytes(256));
    writer.header.parts = writer.add(layers);
    return writer.take();
  }
  [[nodiscard]] std::vector<std::int8_t> bytes(std::size_t count) {
    std::vector<std::int8_t> made(count);
    auto const kind = below(3);
    for (auto& one : made) one = kind == 0 ? -128 : kind == 1 ? 127 : static_cast<std::int8_t>(random_());
    return made;
  }
  [[nodiscard]] std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

 private:
  dense_layer layer(network_writer& writer, std::uint32_t padded_inputs, std::uint32_t inputs, std::uint32_t outputs) {
    dense_layer made;
    made.inputs = inputs;
    made.outputs = outputs;
    made.padded_inputs = padded_inputs;
    made.padded_outputs = (outputs + 7) / 8 * 8;
    std::vector<std::int8_t> weights(std::size_t{padded_inputs} * made.padded_outputs);
    std::vector<std::int32_t> bias(made.padded_outputs);
    auto unsigned_bias = bias;
    std::vector<fixed_factor> factors(made.padded_outputs, fixed_factor{0, 1});
    for (std::uint32_t o = 0; o < outputs; ++o) {
      auto const row = bytes(inputs);
      std::copy(row.begin(), row.end(), weights.begin() + std::ptrdiff_t{o} * padded_inputs);
      bias[o] = static_cast<std::int32_t>(random_() % 2'000'000'000) - 1'000'000'000;
      if (below(2) == 0) bias[o] /= 100'000;
      unsigned_bias[o] = bias[o];
      for (auto const weight : row) unsigned_bias[o] -= 128 * weight;
      factors[o] = {static_cast<std::int32_t>(random_() >> 33), static_cast<std::int32_t>(below(62) + 1)};
      if (below(2) == 0) factors[o].shift = static_cast<std::int32_t>(below(12) + 34);
    }
    made.weights = writer.add(weights);
    made.bias = writer.add(bias);
    made.unsigned_bias = writer.add(unsigned_bias);
    made.scales = writer.add(factors);
    made.range.zero_point = static_cast<std::int32_t>(below(256)) - 128;
    made.range.low = -128 - made.range.zero_point;
    made.range.high = 127 - made.range.zero_point;
    if (below(2) == 0) made.range.low = std::min(made.range.high, 0);
    return made;
  }

  std::mt19937_64 random_;
};

[[nodiscard]] std::vector<std::int32_t> scores_by(instruction_set set, network_ref network,
                                                  std::vector<std::int8_t> const& rows) {
  auto const count = rows.size() / row_bytes;
  std::vector<std::int32_t> scores(count * network.outputs() + 1, 77);
  evaluate_by(set, network, rows.data(), count, scores.data());
  EXPECT_EQ(scores.back(), 77) << "a score too many";
  scores.pop_back();
  return scores;
}

void expect_same_bits(instruction_set set) {
  random_networks networks{static_cast<std::uint32_t>(set)};
  for (int i = 0; i < 200; ++i) {
    auto const network = networks.make();
    auto const rows = networks.bytes(std::size_t{row_bytes} * networks.below(70));
    ASSERT_EQ(scores_by(set, network.ref(), rows), scores_by(instruction_set::scalar, network.ref(), rows))
        << "network " << i;
  }
}

TEST(evaluate, avx2_has_the_bits_of_scalar_code) {
  if (!has(instruction_set::avx2)) GTEST_SKIP() << "this processor has no AVX2";
  expect_same_bits(instruction_set::avx2);
}

TEST(evaluate, avx512_vnni_has_the_bits_of_scalar_code) {
  if (!has(instruction_set::avx512_vnni)) GTEST_SKIP() << "this processor has no AVX-512 VNNI";
  expect_same_bits(instruction_set::avx512_vnni);
}

TEST(evaluate, the_widest_network_fits) {
  network_writer writer;
  dense_layer wide{
      .inputs = row_bytes, .outputs = most_width, .padded_inputs = row_bytes, .padded_outputs = most_width};
  wide.weights = writer.add(std::vector<std::int8_t>(std::size_t{row_bytes} * most_width, 1));
  wide.bias = writer.add(std::vector<std::int32_t>(most_width));
  wide.unsigned_bias = writer.add(std::vector<std::int32_t>(most_width, -128 * 64));
  wide.scales = writer.add(std::vector<fixed_factor>(most_width, *factor_of(1 / 64.0)));
  wide.range = {.low = -128, .high = 127, .zero_point = 0};
  dense_layer last{.inputs = most_width, .outputs = 1, .padded_inputs = most_width, .padded_outputs = output_multiple};
  std::vector<std::int8_t> ones(std::size_t{most_width} * output_multiple);
  std::fill_n(ones.begin(), most_width, std::int8_t{1});
  last.weights = writer.add(ones);
  last.bias = writer.add(std::vector<std::int32_t>(output_multiple));
  std::vector<std::int32_t> unsigned_bias(output_multiple);
  unsigned_bias[0] = -128 * static_cast<std::int32_t>(most_width);
  last.unsigned_bias = writer.add(unsigned_bias);
  writer.header.kind = network_kind::dense;
  writer.header.count = 2;
  writer.header.outputs = 1;
  writer.header.parts = writer.add(std::vector<dense_layer>{wide, last});
  auto const network = writer.take();
  std::vector<std::int8_t> const rows(std::size_t{17} * row_bytes, 3);
  for (auto const set : {instruction_set::scalar, instruction_set::avx2, instruction_set::avx512_vnni}) {
    if (!has(set)) continue;
    EXPECT_EQ(scores_by(set, network.ref(), rows), std::vector<std::int32_t>(17, 3 * 1024)) << name_of(set);
  }
}

TEST(evaluate, the_memory_form_is_the_same_at_another_address) {
  auto const loaded = load_parts(small_network());
  auto const bytes = loaded.network.bytes();
  EXPECT_EQ(bytes.size(), loaded.network.ref().header().bytes);
  integer_network const copy{std::vector<std::byte>{bytes.begin(), bytes.end()}};
  std::vector<std::int8_t> rows(std::size_t{5} * row_bytes, 9);
  EXPECT_EQ(scores_by(best_instruction_set(), copy.ref(), rows),
            scores_by(best_instruction_set(), loaded.network.ref(), rows));
  auto const& layer = loaded.network.ref().layer(0);
  for (auto const offset :
       {layer.weights, layer.bias, layer.unsigned_bias, layer.scales, loaded.network.ref().header().parts}) {
    EXPECT_EQ(offset % 16, 0U);
  }
  EXPECT_EQ(layer.padded_inputs, row_bytes);
  EXPECT_EQ(layer.padded_outputs, output_multiple);
}

}  // namespace
}  // namespace packetwarp::model::test
