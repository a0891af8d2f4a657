// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Files that are no valid ONNX models: versions that are not known, and zero points of another type than their values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/dense_models.h"
#include "model/tree_models.h"

namespace packetwarp::model::test {
namespace {

using testing::HasSubstr;
using imports = std::vector<std::pair<std::string, std::int64_t>>;

[[nodiscard]] std::string refusal_with(model_parts parts, imports const& wanted) {
  parts.imports = wanted;
  return refusal_of(parts);
}

TEST(model_versions, of_the_format_are_known_or_refused) {
  auto parts = small_network();
  for (std::int64_t const known : {3, 8, 10, 14}) {
    parts.format = known;
    EXPECT_EQ(refusal_of(parts), "loaded") << known;
  }
  for (std::int64_t const unknown : {-1, 0, 2, 15, 99}) {
    parts.format = unknown;
    EXPECT_EQ(refusal_of(parts), "m.onnx: its ir_version is " + std::to_string(unknown) + "; allowed are 3 to 14");
  }
}

TEST(model_versions, of_operations_are_known_or_refused) {
  auto const parts = small_network();
  for (std::int64_t const known : {1, 13, 17, 21, 28}) EXPECT_EQ(refusal_with(parts, {{"", known}}), "loaded") << known;
  EXPECT_EQ(refusal_with(parts, {{"ai.onnx", 17}}), "loaded");
  EXPECT_EQ(refusal_with(parts, {{"", 17}, {"", 17}}), "loaded") << "as skl2onnx writes it";
  EXPECT_EQ(refusal_with(parts, {{"", 17}, {"com.example", 99}}), "loaded") << "no node is of that";
  for (std::int64_t const unknown : {-1, 0, 29, 999}) {
    EXPECT_EQ(refusal_with(parts, {{"", unknown}}), "m.onnx: its operations of ai.onnx have the version " +
                                                        std::to_string(unknown) + "; allowed are 1 to 28");
  }
  EXPECT_EQ(refusal_with(parts, {{"", 17}, {"ai.onnx.ml", 6}}),
            "m.onnx: its operations of ai.onnx.ml have the version 6; allowed are 1 to 5");
  EXPECT_EQ(refusal_with(parts, {{"", 13}, {"ai.onnx", 17}}),
            "m.onnx: its operations of ai.onnx have two versions, 13 and 17; allowed is one");
}

TEST(model_versions, of_each_domain_with_a_node_are_said_by_the_file) {
  EXPECT_EQ(refusal_with(small_network(), {}),
            "m.onnx: does not say which version of ai.onnx its operations have (opset_import); allowed are 1 to 28");
  model_parts trees;
  trees.nodes = {tree_node_of(two_trees(), "TreeEnsembleRegressor")};
  EXPECT_EQ(refusal_with(trees, {{"ai.onnx.ml", 1}}), "loaded") << "no node is of ai.onnx";
  EXPECT_EQ(refusal_with(trees, {{"", 17}}),
            "m.onnx: does not say which version of ai.onnx.ml its operations have (opset_import); allowed are 1 to 5");
  EXPECT_THAT(refusal_with(trees, {{"ai.onnx.ml", 5}}),
              HasSubstr("is not in version 5 of ai.onnx.ml; allowed are 1 to 4"));
}

TEST(model_versions, a_zero_point_has_the_type_of_its_values) {
  auto parts = small_network();
  parts.tensors.push_back(integers("unsigned", {}, onnx::element_type::uint8, {0}));
  auto activations = parts;
  activations.nodes[4] = node("DequantizeLinear", {"x_q", "one", "unsigned"}, {"x_real"});
  EXPECT_EQ(refusal_of(activations),
            "m.onnx: node 'the_x_real' (DequantizeLinear): its zero point is uint8, but the values before it are int8; "
            "both have to be the same");
  auto weights = parts;
  weights.nodes[0] = node("DequantizeLinear", {"w1", "one", "unsigned"}, {"w1_real"});
  EXPECT_EQ(refusal_of(weights),
            "m.onnx: node 'the_w1_real' (DequantizeLinear): its zero point is uint8, but its input is int8; both have "
            "to be the same");
}

}  // namespace
}  // namespace packetwarp::model::test
