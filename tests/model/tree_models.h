// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/onnx_bytes.h"

namespace packetwarp::model::test {

// The lists of a TreeEnsemble node.
struct tree_lists {
  std::vector<std::int64_t> trees{}, ids{}, features{}, on_true{}, on_false{};
  std::vector<std::string> modes{};
  std::vector<float> values{};
  std::vector<std::int64_t> weight_trees{}, weight_nodes{}, weight_ids{};
  std::vector<float> weights{};

  void branch(std::int64_t tree, std::int64_t id, std::string const& mode, std::int64_t feature, float value,
              std::int64_t if_true, std::int64_t if_false) {
    trees.push_back(tree);
    ids.push_back(id);
    features.push_back(feature);
    on_true.push_back(if_true);
    on_false.push_back(if_false);
    modes.push_back(mode);
    values.push_back(value);
  }
  void leaf(std::int64_t tree, std::int64_t id, std::vector<std::pair<std::int64_t, float>> const& scores) {
    branch(tree, id, "LEAF", 0, 0, 0, 0);
    for (auto const& [score, weight] : scores) {
      weight_trees.push_back(tree);
      weight_nodes.push_back(id);
      weight_ids.push_back(score);
      weights.push_back(weight);
    }
  }
};

// A node that takes "x" and has the outputs "label" and "y", or "y" alone for a regressor.
[[nodiscard]] inline message tree_node_of(tree_lists const& lists, std::string const& operation,
                                          std::vector<message> more = {}) {
  std::string const prefix = operation == "TreeEnsembleRegressor" ? "target_" : "class_";
  std::vector<message> attributes{
      attribute("nodes_treeids", lists.trees),           attribute("nodes_nodeids", lists.ids),
      attribute("nodes_featureids", lists.features),     attribute("nodes_truenodeids", lists.on_true),
      attribute("nodes_falsenodeids", lists.on_false),   attribute("nodes_modes", lists.modes),
      attribute("nodes_values", lists.values),           attribute(prefix + "treeids", lists.weight_trees),
      attribute(prefix + "nodeids", lists.weight_nodes), attribute(prefix + "ids", lists.weight_ids),
      attribute(prefix + "weights", lists.weights)};
  attributes.insert(attributes.end(), more.begin(), more.end());
  auto const outputs = prefix == "target_" ? std::vector<std::string>{"y"} : std::vector<std::string>{"label", "y"};
  return node(operation, {"x"}, outputs, attributes, "ai.onnx.ml");
}

// a <= 10.5 ? (b > -3 ? 1 : -0.5) : 0.25, and b < 7 ? 0.125 : -1.
[[nodiscard]] inline tree_lists two_trees() {
  tree_lists lists;
  lists.branch(0, 0, "BRANCH_LEQ", 0, 10.5F, 1, 2);
  lists.branch(0, 1, "BRANCH_GT", 1, -3, 3, 4);
  lists.leaf(0, 2, {{0, .25F}});
  lists.leaf(0, 3, {{0, 1}});
  lists.leaf(0, 4, {{0, -.5F}});
  lists.branch(1, 0, "BRANCH_LT", 1, 7, 1, 2);
  lists.leaf(1, 1, {{0, .125F}});
  lists.leaf(1, 2, {{0, -1}});
  return lists;
}
[[nodiscard]] inline double score_of_two_trees(int a, int b) {
  return (a <= 10.5 ? (b > -3 ? 1 : -.5) : .25) + (b < 7 ? .125 : -1);
}

}  // namespace packetwarp::model::test
