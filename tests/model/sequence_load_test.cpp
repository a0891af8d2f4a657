// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "model/dense_models.h"

namespace packetwarp::model::test {
namespace {

using onnx::element_type;
using testing::ElementsAre;
using testing::HasSubstr;
using integer_list = std::vector<std::int64_t>;

// Eight features, which are two channels of four positions, as integers of the scale 1.
inline constexpr std::string_view eight_names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};

[[nodiscard]] model_parts sequence_model(std::vector<message> const& nodes, std::vector<message> const& tensors = {}) {
  model_parts parts{.nodes = {node("DequantizeLinear", {"x", "one", "zero"}, {"x_real"}),
                              node("Reshape", {"x_real", "shape"}, {"s"})},
                    .tensors = {floats("one", {}, {1}), integers("zero", {}, element_type::int8, {0}),
                                integers("shape", {3}, element_type::int64, {-1, 2, 4}),
                                integers("w", {3, 2, 2}, element_type::int8, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})},
                    .features = "a,b,c,d,e,f,g,h",
                    .input = element_type::int8,
                    .width = 8};
  parts.nodes.push_back(node("DequantizeLinear", {"w", "one", "zero"}, {"w_real"}));
  parts.nodes.insert(parts.nodes.end(), nodes.begin(), nodes.end());
  parts.tensors.insert(parts.tensors.end(), tensors.begin(), tensors.end());
  return parts;
}
[[nodiscard]] std::vector<std::int32_t> scores_of_row(model_parts const& parts, std::vector<std::int8_t> const& row) {
  return scores_of(load_parts(parts, eight_names), row);
}
[[nodiscard]] std::string refusal(model_parts const& parts) { return refusal_of(parts, eight_names); }
[[nodiscard]] std::string refusal_of_conv(std::vector<message> const& attributes) {
  return refusal(sequence_model({node("Conv", {"s", "w_real"}, {"y"}, attributes)}));
}

TEST(sequence_load, a_convolution_has_the_products_of_its_windows) {
  auto const parts =
      sequence_model({node("Conv", {"s", "w_real", "bias"}, {"y"})}, {floats("bias", {3}, {100, 0, -1})});
  auto const loaded = load_parts(parts, eight_names);
  EXPECT_EQ(loaded.layers.at(0).kind, "conv");
  EXPECT_EQ(loaded.layers.at(0).outputs, 9U);
  // Channel 0, window 0: 1 x 1 + 2 x 2 + 3 x 10 + 4 x 20 = 115.
  EXPECT_THAT(scores_of(loaded, {1, 2, 3, 4, 10, 20, 30, 40}),
              ElementsAre(215, 288, 361, 247, 408, 569, 378, 627, 876));
}

TEST(sequence_load, strides_and_padding_move_the_windows) {
  auto parts = sequence_model({node("Conv", {"s", "w_real"}, {"y"},
                                    {attribute("strides", integer_list{2}), attribute("pads", integer_list{1, 1})})});
  // Windows (-, a), (b, c), (d, -) of each channel.
  std::vector<std::int8_t> const row{1, 2, 3, 4, 10, 20, 30, 40};
  EXPECT_THAT(scores_of_row(parts, row), ElementsAre(42, 188, 124, 86, 408, 300, 130, 628, 476));
  parts.nodes.back() = node("Conv", {"s", "w_real"}, {"y"}, {attribute("auto_pad", "SAME_UPPER")});
  EXPECT_EQ(scores_of_row(parts, row).at(3), 1 * 4 + 3 * 40);
  parts.nodes.back() = node("Conv", {"s", "w_real"}, {"y"}, {attribute("auto_pad", "SAME_LOWER")});
  EXPECT_EQ(scores_of_row(parts, row).at(0), 2 * 1 + 4 * 10);
}

TEST(sequence_load, an_image_of_one_line_or_column_is_a_sequence) {
  for (auto const& shape : {integer_list{-1, 2, 1, 4}, integer_list{-1, 2, 4, 1}}) {
    auto const of_width = shape[2] == 1 ? integer_list{3, 2, 1, 2} : integer_list{3, 2, 2, 1};
    auto parts = sequence_model(
        {node("Reshape", {"s", "image"}, {"i"}), node("DequantizeLinear", {"w2", "one", "zero"}, {"w2_real"}),
         node("Conv", {"i", "w2_real"}, {"y"}, {attribute("strides", integer_list{1, 1})})},
        {integers("image", {4}, element_type::int64, shape),
         integers("w2", of_width, element_type::int8, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})});
    EXPECT_EQ(scores_of_row(parts, {1, 2, 3, 4, 10, 20, 30, 40}).at(8), 877);
    // A stride along the dimension of 1 has no effect.
    auto const strides = shape[2] == 1 ? integer_list{2, 1} : integer_list{1, 2};
    parts.nodes.back() = node("Conv", {"i", "w2_real"}, {"y"}, {attribute("strides", strides)});
    EXPECT_EQ(scores_of_row(parts, {1, 2, 3, 4, 10, 20, 30, 40}).at(8), 877);
  }
}

TEST(sequence_load, an_input_may_be_a_sequence_with_positions_first) {
  auto parts = sequence_model({node("Transpose", {"s"}, {"t"}, {attribute("perm", integer_list{0, 2, 1})}),
                               node("Conv", {"t", "w_real"}, {"y"})},
                              {});
  parts.tensors[2] = integers("shape", {3}, element_type::int64, {0, 4, 2});
  EXPECT_THAT(scores_of_row(parts, {1, 10, 2, 20, 3, 30, 4, 40}),
              ElementsAre(115, 188, 261, 247, 408, 569, 379, 628, 877));
}

// The values of a convolution in another order.
TEST(sequence_load, a_transpose_moves_the_values_of_a_layer) {
  auto const parts = sequence_model({node("Conv", {"s", "w_real", "bias"}, {"c"}),
                                     node("Transpose", {"c"}, {"y"}, {attribute("perm", integer_list{0, 2, 1})})},
                                    {floats("bias", {3}, {0, 1000, 2000})});
  EXPECT_THAT(scores_of_row(parts, {1, 2, 3, 4, 10, 20, 30, 40}),
              ElementsAre(115, 1247, 2379, 188, 1408, 2628, 261, 1569, 2877));
}

TEST(sequence_load, a_bias_may_be_added_to_each_channel) {
  auto const parts = sequence_model({node("Conv", {"s", "w_real"}, {"c"}), node("Add", {"c", "bias"}, {"y"})},
                                    {floats("bias", {1, 3, 1}, {100, 0, -1})});
  EXPECT_THAT(scores_of_row(parts, {1, 2, 3, 4, 10, 20, 30, 40}),
              ElementsAre(215, 288, 361, 247, 408, 569, 378, 627, 876));
}

// All pairs of values, in the places where a maximum is made of one and of two differences.
TEST(sequence_load, a_maximum_is_exact) {
  using scores = std::vector<std::int32_t>;
  auto const pool = [](std::int64_t width) {
    return load_parts(sequence_model({node("MaxPool", {"s"}, {"y"}, {attribute("kernel_shape", integer_list{width})})}),
                      eight_names);
  };
  auto const of_two = pool(2);
  auto const of_three = pool(3);
  auto const of_four = pool(4);
  for (int a = -128; a <= 127; ++a) {
    for (int b = -128; b <= 127; ++b) {
      auto const x = static_cast<std::int8_t>(a);
      auto const y = static_cast<std::int8_t>(b);
      auto const z = static_cast<std::int8_t>(a ^ b);
      std::vector<std::int8_t> const row{x, y, z, x, y, y, z, -128};
      auto const most = std::max({x, y, z});
      auto const last = std::max(y, z);
      ASSERT_EQ(scores_of(of_two, row), (scores{std::max(x, y), last, std::max(x, z), y, last, z}));
      ASSERT_EQ(scores_of(of_three, row), (scores{most, most, last, last}));
      ASSERT_EQ(scores_of(of_four, row), (scores{most, last}));
    }
  }
}

TEST(sequence_load, a_maximum_keeps_the_meaning_of_its_integers) {
  // Half steps with the zero point 10; a Relu and a product come after.
  auto const parts = sequence_model(
      {node("QuantizeLinear", {"s", "two", "ten"}, {"q"}), node("DequantizeLinear", {"q", "two", "ten"}, {"r"}),
       node("MaxPool", {"r"}, {"m"}, {attribute("kernel_shape", integer_list{4})}), node("Relu", {"m"}, {"p"}),
       node("QuantizeLinear", {"p", "two", "ten"}, {"q2"}), node("DequantizeLinear", {"q2", "two", "ten"}, {"r2"}),
       node("Flatten", {"r2"}, {"f"}), node("DequantizeLinear", {"w3", "one", "zero"}, {"w3_real"}),
       node("MatMul", {"f", "w3_real"}, {"y"})},
      {floats("two", {}, {2}), integers("ten", {}, element_type::int8, {10}),
       integers("w3", {2, 1}, element_type::int8, {1, 100})});
  auto const loaded = load_parts(parts, eight_names);
  EXPECT_DOUBLE_EQ(loaded.unit, 2);
  EXPECT_THAT(scores_of(loaded, {-20, 8, 2, 4, -6, -8, -2, -4}), ElementsAre(4));
  EXPECT_THAT(scores_of(loaded, {-20, 8, 2, 4, 6, -8, -2, -4}), ElementsAre(304));
}

TEST(sequence_load, maxima_leave_padding_out) {
  auto const parts =
      sequence_model({node("MaxPool", {"s"}, {"y"},
                           {attribute("kernel_shape", integer_list{3}), attribute("strides", integer_list{2}),
                            attribute("pads", integer_list{1, 1})})});
  EXPECT_THAT(scores_of_row(parts, {-9, -8, -7, -6, -1, -2, -3, -4}), ElementsAre(-8, -6, -1, -2));
  auto const global = sequence_model({node("GlobalMaxPool", {"s"}, {"y"})});
  EXPECT_THAT(scores_of_row(global, {-9, -8, -7, -6, -1, -2, -3, -4}), ElementsAre(-6, -1));
}

TEST(sequence_load, means_round_a_half_up) {
  auto parts =
      sequence_model({node("AveragePool", {"s"}, {"m"},
                           {attribute("kernel_shape", integer_list{2}), attribute("strides", integer_list{2})}),
                      node("QuantizeLinear", {"m", "one", "zero"}, {"q"}),
                      node("DequantizeLinear", {"q", "one", "zero"}, {"r"}), node("GlobalMaxPool", {"r"}, {"y"})});
  EXPECT_THAT(scores_of_row(parts, {1, 2, -128, -128, -1, -2, -3, -4}), ElementsAre(2, -1));
  // The scores of the last layer are sums: twice the means.
  parts = sequence_model({node("AveragePool", {"s"}, {"y"},
                               {attribute("kernel_shape", integer_list{2}), attribute("strides", integer_list{2})})});
  EXPECT_THAT(scores_of_row(parts, {1, 2, -128, -128, -1, -2, -3, -4}), ElementsAre(3, -256, -3, -7));
  EXPECT_DOUBLE_EQ(load_parts(parts, eight_names).unit, .5);
  parts = sequence_model({node("GlobalAveragePool", {"s"}, {"y"})});
  EXPECT_THAT(scores_of_row(parts, {1, 2, -128, -128, -1, -2, -3, -4}), ElementsAre(-253, -10));
}

TEST(sequence_load, means_count_padding_if_they_are_told_to) {
  std::vector<message> attributes{attribute("kernel_shape", integer_list{3}), attribute("pads", integer_list{1, 1})};
  auto parts = sequence_model({node("AveragePool", {"s"}, {"y"}, attributes)});
  // The divisors are 2 and 3; scores have the scale of the larger part, 1/2.
  EXPECT_THAT(scores_of_row(parts, {6, 12, 18, 24, 0, 0, 0, 0}), ElementsAre(18, 24, 36, 42, 0, 0, 0, 0));
  attributes.push_back(attribute("count_include_pad", std::int64_t{1}));
  parts.nodes.back() = node("AveragePool", {"s"}, {"y"}, attributes);
  EXPECT_THAT(scores_of_row(parts, {6, 12, 18, 24, 0, 0, 0, 0}), ElementsAre(18, 36, 54, 42, 0, 0, 0, 0));
}

TEST(sequence_load, a_mean_along_axes_is_a_pool) {
  std::vector<std::int8_t> const row{1, 2, -128, -128, -1, -2, -3, -4};
  auto parts = sequence_model({node("ReduceMean", {"s"}, {"y"}, {attribute("axes", integer_list{-1})})});
  EXPECT_THAT(scores_of_row(parts, row), ElementsAre(-253, -10));
  parts.nodes.back() =
      node("ReduceMean", {"s"}, {"y"}, {attribute("axes", integer_list{1}), attribute("keepdims", std::int64_t{0})});
  EXPECT_THAT(scores_of_row(parts, row), ElementsAre(0, 0, -131, -132));
  EXPECT_DOUBLE_EQ(load_parts(parts, eight_names).unit, .5);
  parts.nodes.back() = node("ReduceMean", {"s"}, {"y"});
  EXPECT_THAT(refusal(parts), HasSubstr("(ReduceMean): has no axes"));
  parts.nodes.back() = node("ReduceMean", {"s"}, {"y"}, {attribute("axes", integer_list{0, 1})});
  EXPECT_THAT(refusal(parts), HasSubstr("(ReduceMean): works along axis 0"));
}

TEST(sequence_load, integer_forms_are_the_same_convolution) {
  auto parts =
      sequence_model({}, {integers("bias", {3}, element_type::int32, {100, 0, -1}), floats("many", {3}, {1, 1, 1}),
                          integers("zeros", {3}, element_type::int8, {0, 0, 0})});
  parts.nodes = {node("Reshape", {"x", "shape"}, {"s"}), node("ConvInteger", {"s", "w", "zero"}, {"sums"}),
                 node("Cast", {"sums"}, {"real"}, {attribute("to", std::int64_t{1})}),
                 node("Mul", {"real", "one"}, {"y"})};
  std::vector<std::int8_t> const row{1, 2, 3, 4, 10, 20, 30, 40};
  EXPECT_THAT(scores_of_row(parts, row), ElementsAre(115, 188, 261, 247, 408, 569, 379, 628, 877));
  parts.nodes[1] = node("QLinearConv", {"s", "one", "zero", "w", "many", "zeros", "one", "zero", "bias"}, {"c"});
  parts.nodes[2] = node("DequantizeLinear", {"c", "one", "zero"}, {"y"});
  parts.nodes.pop_back();
  auto without = parts;
  without.nodes[1] = node("QLinearConv", {"s", "one", "zero", "w", "many", "zeros", "one", "", "bias"}, {"c"});
  EXPECT_THAT(refusal(without), HasSubstr("(QLinearConv): its input 8 is missing"));
  EXPECT_THAT(scores_of_row(parts, row), ElementsAre(215, 288, 361, 247, 408, 569, 378, 627, 876));
}

TEST(sequence_load, a_pools_zero_point_that_is_left_out_is_of_the_inputs_type) {
  auto parts = sequence_model({});
  std::vector<std::int8_t> const row{-1, -3, -5, -7, 1, 3, 5, 7};
  for (auto const& [operation, width] :
       {std::pair{"QLinearAveragePool", 4}, std::pair{"QLinearGlobalAveragePool", 0}}) {
    std::vector<message> attributes;
    if (width != 0) attributes.push_back(attribute("kernel_shape", integer_list{width}));
    parts.nodes = {node("Reshape", {"x", "shape"}, {"s"}),
                   node(operation, {"s", "one", "", "one"}, {"p"}, attributes, "com.microsoft"),
                   node("DequantizeLinear", {"p", "one", "zero"}, {"r"}),
                   node("MaxPool", {"r"}, {"y"}, {attribute("kernel_shape", integer_list{1})})};
    // A mean below 0 stays: int8 has it.
    EXPECT_THAT(scores_of_row(parts, row), ElementsAre(-4, 4)) << operation;
  }
}

TEST(sequence_load, convolutions_beyond_the_subset_are_refused) {
  EXPECT_THAT(refusal_of_conv({attribute("dilations", integer_list{2})}),
              HasSubstr("m.onnx: node 'the_y' (Conv): has the dilation 2; allowed is 1"));
  EXPECT_THAT(refusal_of_conv({attribute("group", std::int64_t{2})}), HasSubstr("(Conv): has group = 2; allowed is 1"));
  EXPECT_THAT(refusal_of_conv({attribute("strides", integer_list{0})}),
              HasSubstr("has the stride 0; allowed are 1 to 1024"));
  EXPECT_THAT(refusal_of_conv({attribute("strides", integer_list{-3})}), HasSubstr("has the stride -3"));
  EXPECT_THAT(refusal_of_conv({attribute("pads", integer_list{-1, 0})}), HasSubstr("has the padding -1"));
  EXPECT_THAT(refusal_of_conv({attribute("pads", integer_list{2, 0})}),
              HasSubstr("has the padding 2; allowed is less than the kernel's width, 2"));
  EXPECT_THAT(refusal_of_conv({attribute("pads", integer_list{1LL << 40, 0})}),
              HasSubstr("has the padding 1099511627776"));
  EXPECT_THAT(refusal_of_conv({attribute("kernel_shape", integer_list{3})}),
              HasSubstr("has the kernel width 3, but its weights have 2"));
  EXPECT_THAT(refusal_of_conv({attribute("kernel_shape", integer_list{2, 2})}),
              HasSubstr("has 2 numbers in 'kernel_shape'; allowed are 1: only 1-D convolutions and pools"));
  EXPECT_THAT(refusal_of_conv({attribute("auto_pad", "MIRROR")}), HasSubstr("has auto_pad = MIRROR"));
}

TEST(sequence_load, weights_that_do_not_fit_are_refused) {
  auto const refusal_of_weights = [](integer_list const& dims) {
    auto const size = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>{});
    auto parts = sequence_model({node("Conv", {"s", "w_real"}, {"y"})});
    parts.tensors[3] = integers("w", dims, element_type::int8, integer_list(static_cast<std::size_t>(size), 1));
    return refusal(parts);
  };
  EXPECT_THAT(refusal_of_weights({1, 3, 2}), HasSubstr("its weights take 3 channels, but 2 come before it"));
  EXPECT_THAT(refusal_of_weights({3, 2}), HasSubstr("its weights have 2 dimensions; allowed are 3"));
  EXPECT_THAT(refusal_of_weights({1, 2, 5}), HasSubstr("its kernel of 5 is wider than the 4 positions before it"));
  EXPECT_THAT(refusal_of_weights({1, 2, 2000}), HasSubstr("allowed are 3 of 1 to 1024"));
  EXPECT_THAT(refusal_of_weights({1000, 2, 3}),
              HasSubstr("makes 1000 channels x 2 positions; allowed are 1024 values"));
  auto parts = sequence_model({node("Conv", {"s", "w5"}, {"y"})}, {floats("w5", {1, 2, 1}, {1, 2})});
  EXPECT_THAT(refusal(parts), HasSubstr("its weights are float: quantise the model to int8"));
}

TEST(sequence_load, an_image_is_refused) {
  auto parts = sequence_model({node("Reshape", {"s", "image"}, {"i"}), node("Conv", {"i", "w_real"}, {"y"})},
                              {integers("image", {4}, element_type::int64, {-1, 2, 2, 2})});
  EXPECT_THAT(refusal(parts), HasSubstr("node 'the_y' (Conv): takes the shape [N, 2, 2, 2]; allowed are sequences"));
  parts.nodes.back() = node("MaxPool", {"i"}, {"y"}, {attribute("kernel_shape", integer_list{2, 2})});
  EXPECT_THAT(refusal(parts), HasSubstr("node 'the_y' (MaxPool): takes the shape [N, 2, 2, 2]"));
  parts = sequence_model(
      {node("Unsqueeze", {"s", "two"}, {"i"}), node("DequantizeLinear", {"w2", "one", "zero"}, {"w2_real"}),
       node("Conv", {"i", "w2_real"}, {"y"})},
      {integers("two", {1}, element_type::int64, {2}),
       integers("w2", {1, 2, 2, 2}, element_type::int8, {1, 2, 3, 4, 5, 6, 7, 8})});
  EXPECT_THAT(refusal(parts), HasSubstr("its kernel is 2 x 2; only 1-D convolutions are supported"));
}

TEST(sequence_load, pools_beyond_the_subset_are_refused) {
  auto const refusal_of_pool = [](std::vector<message> const& attributes) {
    return refusal(sequence_model({node("MaxPool", {"s"}, {"y"}, attributes)}));
  };
  EXPECT_THAT(refusal_of_pool({}), HasSubstr("node 'the_y' (MaxPool): has the kernel width 0; allowed are 1 to 1024"));
  EXPECT_THAT(refusal_of_pool({attribute("kernel_shape", integer_list{9})}),
              HasSubstr("its kernel of 9 is wider than"));
  EXPECT_THAT(refusal_of_pool({attribute("kernel_shape", integer_list{2}), attribute("ceil_mode", std::int64_t{1})}),
              HasSubstr("has ceil_mode = 1"));
  EXPECT_THAT(refusal_of_pool({attribute("kernel_shape", integer_list{2}), attribute("pads", integer_list{2, 0})}),
              HasSubstr("has the padding 2"));
  auto parts = sequence_model({node("Conv", {"s", "w_real"}, {"c"}),
                               node("MaxPool", {"c"}, {"y"}, {attribute("kernel_shape", integer_list{2})})});
  EXPECT_THAT(refusal(parts), HasSubstr("(MaxPool): its input is not quantised"));
  parts.nodes.back() = node("GlobalAveragePool", {"c"}, {"y"});
  EXPECT_THAT(refusal(parts), HasSubstr("(GlobalAveragePool): its input is not quantised"));
}

TEST(sequence_load, shapes_that_lose_rows_or_values_are_refused) {
  auto const refusal_of_shape = [](integer_list const& shape) {
    auto parts = sequence_model({node("Conv", {"s", "w_real"}, {"y"})});
    parts.tensors[2] = integers("shape", {static_cast<std::int64_t>(shape.size())}, element_type::int64, shape);
    return refusal(parts);
  };
  EXPECT_THAT(refusal_of_shape({-1, 2, 3}),
              HasSubstr("node 'the_s' (Reshape): makes the shape [-1, 2, 3] of [N, 8]; after "
                        "the first dimension, the rows', 8 values are allowed"));
  for (auto const& shape : {integer_list{8}, integer_list{-1}, integer_list{-1, -1, 4}, integer_list{0, -1, -1},
                            integer_list{-1, -2, -4}, integer_list{-1, 1LL << 40, 1LL << 40}, integer_list{4, 2},
                            integer_list{-1, 2, 0, 4}, integer_list{0, -1, 3}}) {
    EXPECT_THAT(refusal_of_shape(shape), HasSubstr("(Reshape): makes the shape"));
  }
  EXPECT_EQ(refusal_of_shape({0, -1, 4}), "loaded");
  EXPECT_EQ(refusal_of_shape({1, 2, -1}), "loaded");
  auto parts = sequence_model({node("Transpose", {"s"}, {"t"}), node("Conv", {"t", "w_real"}, {"y"})});
  EXPECT_THAT(refusal(parts), HasSubstr("(Transpose): its 'perm' [] is no order"));
  for (auto const& order :
       {integer_list{1, 0, 2}, integer_list{0, 1, 1}, integer_list{0, 1, 7}, integer_list{0, -1, 1}}) {
    parts.nodes[3] = node("Transpose", {"s"}, {"t"}, {attribute("perm", order)});
    EXPECT_THAT(refusal(parts), HasSubstr("is no order of the dimensions of [N, 2, 4]"));
  }
  parts.nodes[3] = node("Unsqueeze", {"s"}, {"t"}, {attribute("axes", integer_list{0})});
  EXPECT_THAT(refusal(parts), HasSubstr("(Unsqueeze): works along axis 0"));
  parts.nodes[3] = node("Squeeze", {"s"}, {"t"}, {attribute("axes", integer_list{1})});
  EXPECT_THAT(refusal(parts), HasSubstr("(Squeeze): removes axis 1 of [N, 2, 4]; it is not 1"));
  parts.nodes[3] = node("Flatten", {"s"}, {"t"}, {attribute("axis", std::int64_t{2})});
  EXPECT_THAT(refusal(parts), HasSubstr("(Flatten): flattens from axis 2 on"));
}

TEST(sequence_load, a_product_of_a_matrix_takes_flat_values) {
  auto const parts = sequence_model({node("MatMul", {"s", "w_real"}, {"y"})});
  EXPECT_THAT(refusal(parts), HasSubstr("(MatMul): its weights are no matrix"));
  auto const with_matrix = sequence_model(
      {node("DequantizeLinear", {"w2", "one", "zero"}, {"w2_real"}), node("MatMul", {"s", "w2_real"}, {"y"})},
      {integers("w2", {4, 1}, element_type::int8, {1, 2, 3, 4})});
  EXPECT_THAT(refusal(with_matrix), HasSubstr("its input has the shape [N, 2, 4]; a Flatten or a Reshape to [-1, 8]"));
}

TEST(sequence_load, an_input_of_several_dimensions_is_read_in_its_order) {
  auto parts = sequence_model({node("Conv", {"x", "w_real"}, {"y"})});
  parts.shape = {2, 4};
  parts.nodes = {node("DequantizeLinear", {"x", "one", "zero"}, {"x_real"}),
                 node("DequantizeLinear", {"w", "one", "zero"}, {"w_real"}), node("Conv", {"x_real", "w_real"}, {"y"})};
  EXPECT_EQ(scores_of_row(parts, {1, 2, 3, 4, 10, 20, 30, 40}).at(0), 115);
  parts.shape = {2, 3};
  EXPECT_THAT(refusal(parts), HasSubstr("its input 'x' has 6 values, but metadata_props names 8"));
  parts.shape = {2, -4};
  EXPECT_THAT(refusal(parts), HasSubstr("its input 'x' has -4 in dimension 2; allowed are 1 to 64"));
  parts.shape = {1, 1, 2, 4};
  EXPECT_THAT(refusal(parts), HasSubstr("its input 'x' has 5 dimensions"));
}

}  // namespace
}  // namespace packetwarp::model::test
