// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/dense_models.h"
#include "model/random_networks.h"

namespace packetwarp::model::test {
namespace {

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
    auto rows = networks.bytes(std::size_t{row_bytes} * networks.below(70));
    ASSERT_EQ(scores_by(set, network.ref(), rows), scores_by(instruction_set::scalar, network.ref(), rows))
        << "network " << i;
    // Features are from 0 to 127, and so are the results of most networks' layers.
    for (auto& value : rows) value = static_cast<std::int8_t>(value & 0x7f);
    ASSERT_EQ(scores_by(set, network.ref(), rows), scores_by(instruction_set::scalar, network.ref(), rows))
        << "network " << i << ", features";
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

// The way through trees from node to node, as their memory form defines it.
[[nodiscard]] std::vector<std::int32_t> walked_scores(network_ref network, std::int8_t const* row) {
  auto const& header = network.header();
  auto const* const base = network.at<std::int32_t>(header.base);
  std::vector<std::int32_t> scores{base, base + header.outputs};
  for (std::uint32_t tree = 0; tree < header.count; ++tree) {
    auto const* const nodes = network.at<tree_node>(header.nodes);
    auto node = nodes[network.at<std::uint32_t>(header.parts)[tree]];
    while (node.position != leaf_position) node = nodes[node.next + (row[node.position] > node.threshold ? 1 : 0)];
    for (std::uint32_t o = 0; o < header.outputs; ++o) {
      scores[o] += header.outputs == 1
                       ? static_cast<std::int32_t>(node.next)
                       : network.at<std::int32_t>(header.leaf_scores)[std::size_t{node.next} * header.outputs + o];
    }
  }
  return scores;
}

TEST(evaluate, trees_of_any_shape_have_the_scores_of_a_walk_for_any_number_of_rows) {
  random_networks networks{3};
  for (int i = 0; i < 100; ++i) {
    auto const outputs = networks.below(4) + 1;
    auto const network = networks.make_trees(networks.below(20) + 1, networks.below(9), outputs);
    auto const rows = networks.bytes(std::size_t{row_bytes} * networks.below(70));
    std::vector<std::int32_t> walked;
    for (std::size_t row = 0; row < rows.size() / row_bytes; ++row) {
      auto const scores = walked_scores(network.ref(), rows.data() + row * row_bytes);
      walked.insert(walked.end(), scores.begin(), scores.end());
    }
    for (auto const set : {instruction_set::scalar, instruction_set::avx2, instruction_set::avx512_vnni}) {
      if (!has(set)) continue;
      ASSERT_EQ(scores_by(set, network.ref(), rows), walked) << "network " << i << " by " << name_of(set);
    }
  }
}

TEST(evaluate, the_widest_network_fits) {
  network_writer writer;
  dense_layer wide{.inputs = row_bytes,
                   .outputs = most_width,
                   .padded_inputs = row_bytes,
                   .padded_outputs = most_width,
                   .used_inputs = row_bytes};
  wide.weights = writer.add(std::vector<std::int8_t>(std::size_t{row_bytes} * most_width, 1));
  wide.bias = writer.add(std::vector<std::int32_t>(most_width));
  wide.unsigned_bias = writer.add(std::vector<std::int32_t>(most_width, -128 * 64));
  wide.scales = writer.add(std::vector<fixed_factor>(most_width, *factor_of(1 / 64.0)));
  wide.range = {.low = -128, .high = 127, .zero_point = 0};
  dense_layer last{.inputs = most_width,
                   .outputs = 1,
                   .padded_inputs = most_width,
                   .padded_outputs = output_multiple,
                   .used_inputs = most_width};
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

TEST(evaluate, the_used_inputs_end_with_the_last_weight_that_is_not_0) {
  std::vector<std::int8_t> weights(2 * input_multiple);
  EXPECT_EQ(used_inputs_of(weights, input_multiple), 0U);
  weights[input_multiple] = 1;
  EXPECT_EQ(used_inputs_of(weights, input_multiple), used_multiple);
  weights[4] = -1;
  EXPECT_EQ(used_inputs_of(weights, input_multiple), 2 * used_multiple);
  weights[2 * input_multiple - 1] = 1;
  EXPECT_EQ(used_inputs_of(weights, input_multiple), input_multiple);
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
