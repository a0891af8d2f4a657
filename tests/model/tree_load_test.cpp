// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "model/dense_models.h"
#include "model/tree_models.h"

namespace packetwarp::model::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

[[nodiscard]] model_parts with_node(message const& one) { return {.nodes = {one}}; }
[[nodiscard]] model_parts regressor(tree_lists const& lists, std::vector<message> const& more = {}) {
  return with_node(tree_node_of(lists, "TreeEnsembleRegressor", more));
}

TEST(tree_load, trees_have_the_scores_of_their_comparisons) {
  auto const loaded = load_parts(regressor(two_trees()));
  EXPECT_EQ(loaded.layers.at(0).kind, "2 trees");
  EXPECT_EQ(loaded.layers.at(0).operations, 3U);
  for (int a = -128; a <= 127; ++a) {
    for (int b = -128; b <= 127; ++b) {
      auto const scores = scores_of(loaded, {static_cast<std::int8_t>(a), static_cast<std::int8_t>(b)});
      ASSERT_DOUBLE_EQ(scores.front() * loaded.unit, score_of_two_trees(a, b)) << a << ' ' << b;
    }
  }
}

// The modes and thresholds at the edges of int8, and between integers, against the comparison of floats.
TEST(tree_load, comparisons_are_exact_for_all_modes_and_thresholds) {
  for (std::string const mode : {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GT", "BRANCH_GTE"}) {
    for (float const threshold : {-1e30F, -129.F, -128.5F, -128.F, -127.5F, -.5F, 0.F, .5F, 126.5F, 127.F, 127.5F,
                                  128.F, 1e30F, std::numeric_limits<float>::infinity()}) {
      tree_lists lists;
      lists.branch(0, 0, mode, 0, threshold, 1, 2);
      lists.leaf(0, 1, {{0, 1}});
      lists.leaf(0, 2, {{0, -1}});
      auto const loaded = load_parts(regressor(lists));
      for (int x = -128; x <= 127; ++x) {
        auto const value = static_cast<float>(x);
        bool const holds = mode == "BRANCH_LEQ"  ? value <= threshold
                           : mode == "BRANCH_LT" ? value < threshold
                           : mode == "BRANCH_GT" ? value > threshold
                                                 : value >= threshold;
        ASSERT_EQ(scores_of(loaded, {static_cast<std::int8_t>(x)}).front() > 0, holds)
            << mode << ' ' << threshold << ' ' << x;
      }
    }
  }
}

TEST(tree_load, the_scale_is_the_largest_with_which_no_sum_overflows) {
  tree_lists lists;
  for (int tree = 0; tree < 1000; ++tree) lists.leaf(tree, 0, {{0, 1}});
  auto const loaded = load_parts(regressor(lists, {attribute("base_values", std::vector<float>{24})}));
  // 1,024 x 2^20 is 2^30; twice as much would be 2^31.
  EXPECT_EQ(scores_of(loaded, {}).front(), 1 << 30);
  EXPECT_DOUBLE_EQ(loaded.unit * (1 << 20), 1);
}

TEST(tree_load, averages_have_the_scale_of_the_mean) {
  auto const loaded = load_parts(regressor(two_trees(), {attribute("aggregate_function", "AVERAGE")}));
  EXPECT_DOUBLE_EQ(scores_of(loaded, {5, 5}).front() * loaded.unit, score_of_two_trees(5, 5) / 2);
}

TEST(tree_load, base_values_are_added_to_the_mean) {
  tree_lists lists;
  lists.leaf(0, 0, {{0, 1}});
  lists.leaf(1, 0, {{0, 3}});
  auto const average = attribute("aggregate_function", "AVERAGE");
  auto const loaded = load_parts(regressor(lists, {average, attribute("base_values", std::vector<float>{10})}));
  EXPECT_DOUBLE_EQ(scores_of(loaded, {}).front() * loaded.unit, 12);
  // The sum has the base a thousand times: with the steps of the trees alone it would overflow.
  lists = {};
  for (int tree = 0; tree < 1000; ++tree) lists.leaf(tree, 0, {{0, 1}});
  auto const many = load_parts(regressor(lists, {average, attribute("base_values", std::vector<float>{2})}));
  EXPECT_DOUBLE_EQ(scores_of(many, {}).front() * many.unit, 3);
}

TEST(tree_load, a_classifier_has_a_score_per_class) {
  tree_lists lists;
  lists.branch(0, 0, "BRANCH_LEQ", 1, 0, 1, 2);
  lists.leaf(0, 1, {{0, .75F}, {2, .25F}});
  lists.leaf(0, 2, {{1, 1}});
  lists.leaf(1, 0, {{0, .5F}, {1, .125F}, {2, .25F}});
  auto const labels = attribute("classlabels_int64s", std::vector<std::int64_t>{4, 5, 6});
  auto const loaded = load_parts(with_node(tree_node_of(lists, "TreeEnsembleClassifier", {labels})));
  auto const step = static_cast<std::int32_t>(1 / loaded.unit);
  EXPECT_THAT(scores_of(loaded, {0, 0}), ElementsAre(step / 4 * 5, step / 8, step / 2));
  EXPECT_THAT(scores_of(loaded, {0, 1}), ElementsAre(step / 2, step / 8 * 9, step / 4));
}

TEST(tree_load, a_classifier_of_two_classes_with_weights_of_one_has_one_score) {
  auto lists = two_trees();
  for (auto& id : lists.weight_ids) id = 1;
  auto const labels = attribute("classlabels_strings", std::vector<std::string>{"benign", "attack"});
  auto const loaded = load_parts(
      with_node(tree_node_of(lists, "TreeEnsembleClassifier", {labels, attribute("post_transform", "LOGISTIC")})));
  EXPECT_EQ(loaded.network.ref().outputs(), 1U);
  EXPECT_DOUBLE_EQ(scores_of(loaded, {0, 0}).front() * loaded.unit, score_of_two_trees(0, 0));
}

TEST(tree_load, a_tree_may_be_as_deep_as_it_has_nodes) {
  tree_lists lists;
  constexpr std::int64_t depth = 20'000;
  for (std::int64_t i = 0; i < depth; ++i) {
    lists.branch(0, 2 * i, "BRANCH_LEQ", 0, 127, 2 * i + 2, 2 * i + 1);
    lists.leaf(0, 2 * i + 1, {{0, 0}});
  }
  lists.leaf(0, 2 * depth, {{0, 3}});
  auto const loaded = load_parts(regressor(lists));
  EXPECT_DOUBLE_EQ(scores_of(loaded, {1}).front() * loaded.unit, 3);
}

TEST(tree_load, nodes_that_form_no_trees_are_refused) {
  auto lists = two_trees();
  lists.on_true[1] = 0;  // back to the root
  EXPECT_THAT(refusal_of(regressor(lists)),
              HasSubstr("node 'the_y' (TreeEnsembleRegressor): two ways lead to node 0 of tree 0"));
  lists = two_trees();
  lists.on_true[1] = 4;
  EXPECT_THAT(refusal_of(regressor(lists)), HasSubstr("two ways lead to node 4"));
  lists.on_true[1] = 99;
  EXPECT_THAT(refusal_of(regressor(lists)), HasSubstr("leads to node 99, which does not exist"));
  lists = two_trees();
  lists.leaf(1, 7, {{0, 1}});
  EXPECT_THAT(refusal_of(regressor(lists)), HasSubstr("some are not reached"));
  lists = two_trees();
  lists.ids[3] = 2;
  EXPECT_THAT(refusal_of(regressor(lists)), HasSubstr("node 2 of tree 0 is listed twice"));
}

TEST(tree_load, values_beyond_the_subset_are_refused) {
  auto lists = two_trees();
  lists.modes[0] = "BRANCH_EQ";
  EXPECT_THAT(refusal_of(regressor(lists)), HasSubstr("compares by BRANCH_EQ"));
  lists = two_trees();
  lists.features[0] = 2;
  EXPECT_THAT(refusal_of(regressor(lists)), HasSubstr("compares feature 2, but 2 features are named"));
  lists = two_trees();
  lists.values[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal_of(regressor(lists)), HasSubstr("a threshold is not a number"));
  lists = two_trees();
  lists.weights[0] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(refusal_of(regressor(lists)), HasSubstr("a weight is not finite"));
  lists = two_trees();
  lists.values.pop_back();
  EXPECT_THAT(refusal_of(regressor(lists)), HasSubstr("lists of nodes have 8 and 7 entries"));
  lists = two_trees();
  lists.weight_ids[0] = 1;
  EXPECT_THAT(refusal_of(regressor(lists)), HasSubstr("has a weight of score 1 of 1"));
  EXPECT_THAT(refusal_of(regressor(two_trees(), {attribute("aggregate_function", "MAX")})),
              HasSubstr("aggregates by MAX"));
  EXPECT_THAT(refusal_of(regressor(two_trees(), {attribute("post_transform", "PROBIT")})),
              HasSubstr("transforms by PROBIT"));
  EXPECT_THAT(refusal_of(regressor(two_trees(), {attribute("base_values_as_tensor", std::int64_t{1})})),
              HasSubstr("has its numbers in 'base_values_as_tensor'"));
  EXPECT_THAT(refusal_of(with_node(node("TreeEnsembleRegressor", {"x"}, {"y"}, {}, "ai.onnx.ml"))),
              HasSubstr("lacks the attribute 'nodes_treeids'"));
}

// The threshold is in the unit of the scores.
TEST(tree_load, scores_are_multiplied_by_one_alone) {
  auto parts = regressor(two_trees());
  auto const last = parts.output;
  parts.output = "scaled";
  parts.nodes.push_back(node("Mul", {last, "factor"}, {"scaled"}));
  parts.tensors.push_back(floats("factor", {}, {1}));
  EXPECT_EQ(refusal_of(parts), "loaded");
  parts.tensors.back() = floats("factor", {}, {0.25F});
  EXPECT_THAT(refusal_of(parts), HasSubstr("(Mul): multiplies the scores by 0.25; allowed is 1"));
}

TEST(tree_load, bases_are_as_many_as_scores) {
  EXPECT_THAT(refusal_of(regressor(two_trees(), {attribute("base_values", std::vector<float>{1, 2})})),
              HasSubstr("its base_values are not 1 finite numbers"));
}

TEST(tree_load, trees_take_the_input_itself) {
  auto parts = regressor(two_trees());
  parts.nodes.insert(parts.nodes.begin(), {node("QuantizeLinear", {"input", "half"}, {"q"}),
                                           node("DequantizeLinear", {"q", "half"}, {"x"})});
  parts.tensors = {floats("half", {}, {.5F})};
  auto bytes = bytes_of(parts);
  EXPECT_THAT(refusal_of(parts), HasSubstr("takes 'input', which is not the result"));
}

}  // namespace
}  // namespace packetwarp::model::test
