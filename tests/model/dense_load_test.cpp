// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/dense_models.h"

namespace packetwarp::model::test {
namespace {

using onnx::element_type;
using testing::ElementsAre;
using testing::HasSubstr;

// small_network() as it is written there.
[[nodiscard]] std::int32_t expected_score(int a, int b) {
  auto const inner = [](int sum) { return std::clamp(static_cast<int>(std::floor((sum + 2) / 4.0)), 0, 127); };
  return 5 * inner(2 * a - 3 * b + 10) - 7 * inner(a + b) + 3;
}

// Replaces the nodes that have this output.
void replace(model_parts& parts, std::size_t index, message const& by) { parts.nodes.at(index) = by; }

TEST(dense_load, a_network_in_qdq_form_has_the_scores_of_its_formula) {
  auto const loaded = load_parts(small_network());
  EXPECT_EQ(loaded.network.ref().outputs(), 1U);
  EXPECT_DOUBLE_EQ(loaded.unit, 1);
  ASSERT_EQ(loaded.layers.size(), 2U);
  EXPECT_EQ(loaded.layers[0].name, "the_h_product");
  EXPECT_EQ(loaded.layers[1].operations, 2U);
  for (int a = -128; a <= 127; a += 3) {
    for (int b = -128; b <= 127; b += 5) {
      ASSERT_EQ(scores_of(loaded, {static_cast<std::int8_t>(a), static_cast<std::int8_t>(b)}).front(),
                expected_score(a, b))
          << a << ' ' << b;
    }
  }
}

TEST(dense_load, columns_follow_the_names_of_features) {
  constexpr std::array<std::string_view, 4> known{"other", "b", "third", "a"};
  auto const loaded = load_parts(small_network(), known);
  EXPECT_EQ(scores_of(loaded, {99, -20, -99, 40}).front(), expected_score(40, -20));
}

TEST(dense_load, unsigned_activations_are_the_same_network) {
  auto parts = small_network();
  parts.tensors.push_back(integers("u128", {}, element_type::uint8, {128}));
  parts.nodes[3] = node("QuantizeLinear", {"x", "one", "u128"}, {"x_q"});
  parts.nodes[4] = node("DequantizeLinear", {"x_q", "one", "u128"}, {"x_real"});
  parts.nodes[8] = node("QuantizeLinear", {"h", "four"}, {"h_q"});  // uint8 with the zero point 0: up to 255
  parts.nodes[9] = node("DequantizeLinear", {"h_q", "four"}, {"h_real"});
  auto const loaded = load_parts(parts);
  EXPECT_EQ(scores_of(loaded, {100, -50}).front(), expected_score(100, -50));
  EXPECT_EQ(scores_of(loaded, {-1, -2}).front(), expected_score(-1, -2));
  // 2 x 127 - 3 x -128 + 10 = 648: 162 steps, above int8's 127.
  EXPECT_EQ(scores_of(loaded, {127, -128}).front(), 5 * 162 + 3);
}

TEST(dense_load, an_input_with_another_scale_is_read_by_a_table) {
  auto parts = small_network();
  parts.tensors.push_back(floats("two", {}, {2}));
  parts.nodes[3] = node("QuantizeLinear", {"x", "two", "zero"}, {"x_q"});
  parts.nodes[4] = node("DequantizeLinear", {"x_q", "two", "zero"}, {"x_real"});
  auto const loaded = load_parts(parts);
  EXPECT_NE(loaded.network.ref().header().input_table, 0U);
  // 5 becomes 2 steps (half to even), 7 becomes 4.
  EXPECT_EQ(scores_of(loaded, {5, -7}).front(), expected_score(4, -8));
}

TEST(dense_load, an_int8_input_needs_no_quantisation) {
  auto parts = small_network();
  parts.input = element_type::int8;
  parts.nodes[3] = node("Identity", {"x"}, {"x_q"});
  EXPECT_EQ(scores_of(load_parts(parts), {30, 5}).front(), expected_score(30, 5));
}

TEST(dense_load, weights_without_a_zero_point_have_the_type_of_output_dtype) {
  auto const with = [](std::vector<std::string> const& inputs, std::int64_t type) {
    auto parts = small_network();
    parts.tensors = {floats("one", {}, {1}), integers("zero", {}, element_type::int8, {0}), floats("half", {}, {.5F}),
                     integers("none", {}, element_type::int32, {0}), floats("w", {2, 1}, {-1, .5F})};
    parts.nodes = {node("QuantizeLinear", inputs, {"w_q"}, {attribute("output_dtype", type)}),
                   node("DequantizeLinear", {"w_q", "half"}, {"w_real"}),
                   node("QuantizeLinear", {"x", "one"}, {"x_q"}, {attribute("output_dtype", std::int64_t{3})}),
                   node("DequantizeLinear", {"x_q", "one"}, {"x_real"}), node("MatMul", {"x_real", "w_real"}, {"y"})};
    return parts;
  };
  auto const loaded = load_parts(with({"w", "half"}, 3));
  EXPECT_EQ(scores_of(loaded, {10, 4}).front(), -16);
  EXPECT_EQ(scores_of(loaded, {-10, 4}).front(), 24);
  EXPECT_EQ(scores_of(load_parts(with({"w", "half"}, 0)), {-10, 4}).front(), 4);  // uint8 has no -1
  EXPECT_THAT(refusal_of(with({"w", "half"}, 5)),
              HasSubstr("(QuantizeLinear): its values are number 5; allowed are int8 and uint8"));
  EXPECT_THAT(refusal_of(with({"w", "half", "none"}, 0)), HasSubstr("its values are int32"));
  EXPECT_THAT(refusal_of(with({"w", "half", "zero"}, 2)),
              HasSubstr("its zero point is int8, but its output_dtype is uint8"));
}

TEST(dense_load, quantisation_between_a_product_and_its_relu_changes_nothing) {
  auto parts = small_network();
  parts.tensors.push_back(floats("seven", {}, {7}));
  parts.nodes.insert(parts.nodes.begin() + 7, {node("QuantizeLinear", {"h_sum", "seven", "zero"}, {"h_sum_q"}),
                                               node("DequantizeLinear", {"h_sum_q", "seven", "zero"}, {"h_sum_2"})});
  parts.nodes[9] = node("Relu", {"h_sum_2"}, {"h"});
  EXPECT_EQ(scores_of(load_parts(parts), {31, 5}).front(), expected_score(31, 5));
}

TEST(dense_load, a_quantisation_before_a_bias_does_not_hold_after_it) {
  auto parts = small_network();
  parts.tensors.push_back(floats("tenth", {}, {.1F}));
  parts.tensors.push_back(floats("hundred", {}, {100}));
  parts.nodes[6] = node("QuantizeLinear", {"h_product", "tenth", "zero"}, {"h_product_q"});
  parts.nodes[7] = node("DequantizeLinear", {"h_product_q", "tenth", "zero"}, {"h_product_2"});
  parts.nodes[8] = node("Add", {"h_product_2", "hundred"}, {"h"});
  parts.nodes[9] = node("Identity", {"h"}, {"h_real"});
  EXPECT_THAT(refusal_of(parts), HasSubstr("node 'the_y' (Gemm): its input is not quantised"));
  parts.nodes[9] = node("QuantizeLinear", {"h", "one", "zero"}, {"h_q"});
  parts.nodes.insert(parts.nodes.begin() + 10, node("DequantizeLinear", {"h_q", "one", "zero"}, {"h_real"}));
  // Without the range of 12.7 that the first quantisation has: 2 x 4 - 3 x -3 and 4 - 3, and 100 each. 3 is 12 units.
  EXPECT_EQ(scores_of(load_parts(parts), {4, -3}).front(), 5 * 117 - 7 * 101 + 12);
}

TEST(dense_load, clip_bounds_results_on_both_sides) {
  auto parts = small_network();
  parts.tensors.push_back(floats("low", {}, {-8}));
  parts.tensors.push_back(floats("high", {}, {40}));
  replace(parts, 7, node("Clip", {"h_sum", "low", "high"}, {"h"}));
  auto const loaded = load_parts(parts);
  EXPECT_EQ(scores_of(loaded, {127, -128}).front(), 5 * 10 - 7 * 0 + 3);
  EXPECT_EQ(scores_of(loaded, {-128, 127}).front(), 5 * -2 - 7 * 0 + 3);
}

TEST(dense_load, what_keeps_the_order_of_scores_is_dropped_at_the_end) {
  auto parts = small_network();
  parts.output = "label";
  parts.nodes.push_back(node("QuantizeLinear", {"y", "one", "zero"}, {"y_q"}));
  parts.nodes.push_back(node("DequantizeLinear", {"y_q", "one", "zero"}, {"y_real"}));
  parts.nodes.push_back(node("Sigmoid", {"y_real"}, {"p"}));
  parts.nodes.push_back(node("Cast", {"p"}, {"label"}, {attribute("to", std::int64_t{7})}));
  EXPECT_EQ(scores_of(load_parts(parts), {100, -50}).front(), expected_score(100, -50));
}

// quantize_static writes these, where it makes operations on integers.
TEST(dense_load, an_operation_on_integers_that_keeps_the_order_of_scores_is_dropped_at_the_end) {
  for (std::string const operation : {"QLinearSigmoid", "QLinearSoftmax"}) {
    auto parts = small_network();
    parts.output = "p";
    parts.nodes.push_back(node("QuantizeLinear", {"y", "one", "zero"}, {"y_q"}));
    parts.nodes.push_back(node(operation, {"y_q", "one", "zero", "one", "zero"}, {"p_q"}, {}, "com.microsoft"));
    parts.nodes.push_back(node("DequantizeLinear", {"p_q", "one", "zero"}, {"p"}));
    EXPECT_EQ(scores_of(load_parts(parts), {100, -50}).front(), expected_score(100, -50)) << operation;
    parts.nodes[parts.nodes.size() - 2] = node(operation, {"y_q", "one", "zero", "one", "zero"}, {"p_q"},
                                               {attribute("axis", std::int64_t{0})}, "com.microsoft");
    EXPECT_EQ(refusal_of(parts) == "loaded", operation == "QLinearSigmoid");
  }
}

TEST(dense_load, a_function_along_the_rows_is_refused) {
  auto parts = small_network();
  parts.output = "p";
  parts.nodes.push_back(node("ArgMax", {"y"}, {"p"}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("node 'the_p' (ArgMax): works along axis 0; allowed are 1 and -1"));
  parts.nodes.back() = node("Softmax", {"y"}, {"p"}, {attribute("axis", std::int64_t{0})});
  EXPECT_THAT(refusal_of(parts), HasSubstr("(Softmax): works along axis 0"));
  parts.nodes.back() = node("Softmax", {"y"}, {"p"});
  EXPECT_EQ(refusal_of(parts), "loaded");
}

TEST(dense_load, a_cast_takes_integers_as_they_are) {
  auto parts = small_network();
  parts.tensors.push_back(floats("half", {}, {.5F}));
  parts.nodes[3] = node("QuantizeLinear", {"x", "half"}, {"x_q"});  // uint8: 0 to 255 half steps
  parts.nodes[4] = node("Cast", {"x_q"}, {"x_real"}, {attribute("to", std::int64_t{1})});
  auto const loaded = load_parts(parts);
  EXPECT_EQ(scores_of(loaded, {50, 20}).front(), 5 * ((2 * 100 - 3 * 40 + 10 + 2) / 4) - 7 * ((140 + 2) / 4) + 3);
  EXPECT_EQ(scores_of(loaded, {-5, 20}).front(), 5 * 0 - 7 * ((40 + 2) / 4) + 3);
}

TEST(dense_load, scores_of_several_scales_get_one) {
  auto parts = small_network();
  parts.tensors.push_back(integers("w3", {2, 2}, element_type::int8, {5, -7, 100, 3}));
  parts.tensors.push_back(floats("scales", {2}, {.25F, .0625F}));
  parts.tensors.push_back(integers("zeros", {2}, element_type::int8, {0, 0}));
  parts.nodes[1] =
      node("DequantizeLinear", {"w3", "scales", "zeros"}, {"w2_real"}, {attribute("axis", std::int64_t{0})});
  parts.nodes[10] = node("Gemm", {"h_real", "w2_real"}, {"y"}, {attribute("transB", std::int64_t{1})});
  auto const loaded = load_parts(parts);
  // h = 24, i = 15: the second sum is 2445, a quarter of which is 611.25.
  EXPECT_THAT(scores_of(loaded, {40, 20}), ElementsAre(5 * 8 - 7 * 15, (100 * 8 + 3 * 15 + 2) / 4));
}

TEST(dense_load, qlinear_matmul_and_matmul_integer_are_layers) {
  auto parts = small_network();
  parts.tensors.push_back(floats("bias", {1}, {3}));
  parts.nodes = {node("QuantizeLinear", {"x", "one", "zero"}, {"x_q"}),
                 node("QLinearMatMul", {"x_q", "one", "zero", "w1", "one", "zero", "four", "zero"}, {"h"}),
                 node("Reshape", {"h", "shape"}, {"h_again"}),
                 node("MatMulInteger", {"h_again", "w4", "zero", "zero"}, {"sums"}),
                 node("Cast", {"sums"}, {"real_sums"}, {attribute("to", std::int64_t{1})}),
                 node("Mul", {"real_sums", "quarter"}, {"scaled"}),
                 node("Add", {"scaled", "bias"}, {"y"})};
  parts.tensors.push_back(integers("w4", {2, 1}, element_type::int8, {5, -7}));
  parts.tensors.push_back(integers("shape", {2}, element_type::int64, {-1, 2}));
  auto const loaded = load_parts(parts);
  EXPECT_DOUBLE_EQ(loaded.unit, .25);
  // (2 x 40 - 3 x 10) / 4 = 12.5, which is 13; (40 + 10) / 4 is 13 too.
  EXPECT_EQ(scores_of(loaded, {40, 10}).front(), 5 * 13 - 7 * 13 + 12);
}

TEST(dense_load, qgemm_has_a_bias_in_units_of_its_sums) {
  auto parts = small_network();
  parts.tensors.push_back(integers("b3", {2}, element_type::int32, {10, 0}));
  parts.nodes = {
      node("QuantizeLinear", {"x", "one", "zero"}, {"x_q"}),
      node("QGemm", {"x_q", "one", "zero", "w1", "one", "zero", "b3", "four", "zero"}, {"h"}, {}, "com.microsoft"),
      node("QGemm", {"h", "four", "zero", "w2", "quarter", "zero", "b2"}, {"y"}, {attribute("transB", std::int64_t{1})},
           "com.microsoft")};
  // Without a Relu results may be negative.
  EXPECT_EQ(scores_of(load_parts(parts), {-40, 20}).front(), 5 * -32 - 7 * -5 + 3);
}

TEST(dense_load, a_zero_point_that_is_left_out_is_of_the_inputs_type) {
  auto parts = small_network();
  parts.tensors.push_back(integers("c", {2}, element_type::int8, {10, 0}));
  parts.nodes = {node("QuantizeLinear", {"x", "one", "zero"}, {"x_q"}),
                 node("QLinearMatMul", {"x_q", "one", "zero", "w1", "one", "zero", "four", "zero"}, {"h_product"}),
                 node("QLinearAdd", {"h_product", "four", "", "c", "one", "", "four"}, {"h"}, {}, "com.microsoft"),
                 node("QGemm", {"h", "four", "zero", "w2", "quarter", "zero", "b2"}, {"y"},
                      {attribute("transB", std::int64_t{1})}, "com.microsoft")};
  // Results below 0 stay: int8 has them.
  EXPECT_EQ(scores_of(load_parts(parts), {-40, 20}).front(), 5 * -32 - 7 * -5 + 3);
}

TEST(dense_load, zero_points_that_say_a_results_type_are_required) {
  auto parts = small_network();
  parts.nodes.resize(5);
  std::vector<std::string> const inputs{"x_q", "one", "zero", "w1", "one", "zero", "four", "zero"};
  for (std::size_t const left_out : {2U, 5U, 7U}) {
    auto some = inputs;
    some[left_out].clear();
    parts.nodes[4] = node("QLinearMatMul", some, {"y"});
    EXPECT_THAT(refusal_of(parts),
                HasSubstr("(QLinearMatMul): its input " + std::to_string(left_out + 1) + " is missing"));
  }
  for (auto const& last : {std::pair{"four", ""}, std::pair{"", "zero"}}) {
    parts.nodes[4] = node("QGemm", {"x_q", "one", "zero", "w1", "one", "zero", "", last.first, last.second}, {"y"}, {},
                          "com.microsoft");
    EXPECT_THAT(refusal_of(parts), HasSubstr("(QGemm): has a scale or a zero point of its result alone"));
  }
}

TEST(dense_load, a_node_that_is_not_known_is_refused_by_name) {
  auto parts = small_network();
  replace(parts, 7, node("Tanh", {"h_sum"}, {"h"}));
  EXPECT_EQ(
      refusal_of(parts),
      "m.onnx: node 'the_h' (Tanh): is not supported; allowed are quantised dense layers (Gemm, MatMul, Add, Relu, "
      "Clip), 1-D convolutions and pools, and tree ensembles");
  replace(parts, 7, node("Relu", {"h_sum"}, {"h"}, {}, "org.example"));
  EXPECT_THAT(refusal_of(parts), HasSubstr("the domain 'org.example'"));
  replace(parts, 7, node("Scaler", {"h_sum"}, {"h"}, {}, "ai.onnx.ml"));
  EXPECT_THAT(refusal_of(parts), HasSubstr("(Scaler): is not supported: rows are int8; scale the features before"));
  replace(parts, 7, node("Sigmoid", {"h_sum"}, {"h"}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("node 'the_y' (Gemm): comes after the scores"));
}

TEST(dense_load, weights_and_inputs_that_are_not_quantised_are_refused) {
  auto parts = small_network();
  parts.tensors.push_back(floats("w5", {2, 2}, {1, 2, 3, 4}));
  replace(parts, 5, node("MatMul", {"x_real", "w5"}, {"h_product"}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("node 'the_h_product' (MatMul): its weights are float: quantise the model"));
  parts = small_network();
  replace(parts, 8, node("Identity", {"h"}, {"h_q"}));
  replace(parts, 9, node("Identity", {"h_q"}, {"h_real"}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("node 'the_y' (Gemm): its input is not quantised"));
  parts = small_network();
  parts.tensors.push_back(integers("five", {}, element_type::int8, {5}));
  parts.tensors.push_back(integers("w6", {2, 2}, element_type::int8, {2, 1, -128, 1}));
  parts.nodes[0] = node("DequantizeLinear", {"w6", "one", "five"}, {"w1_real"});
  EXPECT_THAT(refusal_of(parts), HasSubstr("its weights are not symmetric"));
}

TEST(dense_load, integers_that_get_another_scale_are_the_same_integers) {
  auto parts = small_network();
  parts.tensors.push_back(floats("eight", {}, {8}));
  replace(parts, 9, node("DequantizeLinear", {"h_q", "eight", "zero"}, {"h_real"}));
  auto const loaded = load_parts(parts);
  EXPECT_DOUBLE_EQ(loaded.unit, 2);
  EXPECT_EQ(scores_of(loaded, {100, -50}).front(), expected_score(100, -50) - 3 + 2);  // a bias of 3 is 1.5 units
  parts.nodes.insert(parts.nodes.begin() + 10, node("Relu", {"h_real"}, {"h_more"}));
  replace(parts, 11, node("Gemm", {"h_more", "w2_real", "b2_real"}, {"y"}, {attribute("transB", std::int64_t{1})}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("node 'the_h_more' (Relu): its input was quantised by another scale"));
}

TEST(dense_load, scales_that_do_not_fit_the_weights_are_refused) {
  auto parts = small_network();
  parts.tensors.push_back(floats("three", {3}, {1, 1, 1}));
  parts.tensors.push_back(integers("zeros", {3}, element_type::int8, {0, 0, 0}));
  parts.nodes.resize(5);
  replace(parts, 4, node("Identity", {"x_q"}, {"x_same"}));
  parts.nodes.push_back(
      node("QLinearMatMul", {"x_same", "one", "zero", "w1", "three", "zeros", "four", "zero"}, {"y"}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("its weights have 3 scales; allowed are one, and one per output"));
  replace(parts, 5, node("MatMulInteger", {"x_same", "w1", "zero", "zeros"}, {"y"}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("its weights have 3 scales"));
  parts.nodes[0] = node("DequantizeLinear", {"w1", "three", "zeros"}, {"w1_real"});
  EXPECT_THAT(refusal_of(parts), HasSubstr("3 scales do not fit its axis 1"));
  parts.nodes[0] =
      node("DequantizeLinear", {"w1", "three", "zeros"}, {"w1_real"}, {attribute("block_size", std::int64_t{2})});
  EXPECT_THAT(refusal_of(parts), HasSubstr("has scales by blocks"));
}

TEST(dense_load, a_graph_that_is_no_chain_is_refused) {
  auto parts = small_network();
  replace(parts, 6, node("Add", {"h_product", "x_real"}, {"h_sum"}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("node 'the_h_sum' (Add): takes 'x_real', which is not the result"));
  parts = small_network();
  replace(parts, 6, node("Add", {"h_product", "h_product"}, {"h_sum"}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("takes two values"));
  parts = small_network();
  parts.output = "h";
  EXPECT_THAT(refusal_of(parts), HasSubstr("m.onnx: none of its outputs is the result of its last node"));
  parts.nodes.clear();
  parts.output = "x";
  EXPECT_EQ(refusal_of(parts), "m.onnx: has neither a layer nor a tree");
}

TEST(dense_load, attributes_and_shapes_beyond_the_subset_are_refused) {
  auto parts = small_network();
  replace(parts, 10,
          node("Gemm", {"h_real", "w2_real"}, {"y"}, {attribute("transB", std::int64_t{1}), attribute("alpha", 2.F)}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("allowed are alpha = 1 and beta = 1"));
  replace(parts, 10, node("Gemm", {"h_real", "w2_real"}, {"y"}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("its matrix has 1 inputs, but 2 outputs come before it"));
  parts = small_network();
  parts.tensors.push_back(floats("b9", {3}, {1, 2, 3}));
  replace(parts, 6, node("Add", {"h_product", "b9"}, {"h_sum"}));
  EXPECT_THAT(refusal_of(parts), HasSubstr("its constant of the shape [3] does not fit the values before it, [N, 2]"));
  parts = small_network();
  parts.tensors.push_back(integers("b8", {1}, element_type::int32, {INT32_MAX}));
  parts.nodes[2] = node("DequantizeLinear", {"b8", "one"}, {"b2_real"});
  EXPECT_THAT(refusal_of(parts), HasSubstr("the bias of output 0 is too large"));
  parts.tensors.push_back(floats("minus", {}, {-1}));
  parts.nodes[3] = node("QuantizeLinear", {"x", "minus", "zero"}, {"x_q"});
  EXPECT_THAT(refusal_of(parts), HasSubstr("a scale is not a positive number"));
}

TEST(dense_load, features_are_named_by_the_file_and_known) {
  auto parts = small_network();
  parts.features = "a, c";
  EXPECT_EQ(refusal_of(parts), "m.onnx: the feature 'c' is not known; there are a, b");
  parts.features = "a,b,c";
  EXPECT_THAT(refusal_of(parts), HasSubstr("its input 'x' has 2 values, but metadata_props names 3"));
  parts.features = "a,a";
  EXPECT_THAT(refusal_of(parts), HasSubstr("the feature 'a' is named twice"));
  parts.features = "a,";
  EXPECT_THAT(refusal_of(parts), HasSubstr("'' is no feature's name"));
  parts.features = "";
  EXPECT_THAT(refusal_of(parts), HasSubstr("m.onnx: does not name its features"));
}

TEST(dense_load, a_name_out_of_the_file_cannot_break_a_line) {
  auto parts = small_network();
  parts.nodes[7] = message{}.text(1, "h_sum").text(2, "h").text(3, "evil\n\x1b[31m").text(4, "Tanh");
  EXPECT_THAT(refusal_of(parts), HasSubstr("node 'evil??[31m' (Tanh)"));
}

}  // namespace
}  // namespace packetwarp::model::test
