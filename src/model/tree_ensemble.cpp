// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/tree_ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string_view>

#include "model/printable.h"
#include "model/tree_nodes.h"

namespace packetwarp::model {
namespace {

constexpr std::size_t most_leaf_scores = std::size_t{4} << 20;

// The numbers that leaves add to scores: the attributes class_* or target_*.
struct leaf_weights {
  std::uint32_t outputs{};
  std::vector<double> base{};                   // per output
  std::vector<std::vector<double>> of_nodes{};  // per node and output; none for a node without weights
};

[[nodiscard]] std::vector<std::int64_t> integers_of(node_place const& place, std::string_view name) {
  auto const* const found = place.node().find(name);
  return found == nullptr ? std::vector<std::int64_t>{} : found->integers;
}

[[nodiscard]] std::vector<float> numbers_of(node_place const& place, std::string_view name) {
  auto const* const found = place.node().find(name);
  return found == nullptr ? std::vector<float>{} : found->numbers;
}

[[nodiscard]] std::uint32_t count_of(node_place const& place, std::uint64_t outputs) {
  if (outputs == 0 || outputs > most_outputs) {
    place.refuse(fmt::format("has {} scores; allowed are 1 to {}", outputs, most_outputs));
  }
  return static_cast<std::uint32_t>(outputs);
}

void require_subset(node_place const& place) {
  for (auto const& one : place.node().attributes) {
    if (one.name.ends_with("_as_tensor")) {
      place.refuse(
          fmt::format("has its numbers in '{}'; allowed are lists of floats (float inputs make a converter write them)",
                      printable(one.name)));
    }
  }
  auto const transform = place.text("post_transform", "NONE");
  if (transform != "NONE" && transform != "LOGISTIC" && transform != "SOFTMAX") {
    place.refuse(fmt::format("transforms by {}; allowed are NONE, LOGISTIC and SOFTMAX", printable(transform)));
  }
  auto const aggregate = place.text("aggregate_function", "SUM");
  if (aggregate != "SUM" && aggregate != "AVERAGE") {
    place.refuse(fmt::format("aggregates by {}; allowed are SUM and AVERAGE", printable(aggregate)));
  }
}

// A classifier of two classes may have weights of one of them: then there is one score, of the second class.
[[nodiscard]] std::uint32_t outputs_of(node_place const& place, std::vector<std::int64_t>& ids) {
  if (place.operation() == "TreeEnsembleRegressor")
    return count_of(place, static_cast<std::uint64_t>(place.integer("n_targets", 1)));
  auto const* const texts = place.node().find("classlabels_strings");
  auto const classes =
      std::max(integers_of(place, "classlabels_int64s").size(), texts == nullptr ? 0 : texts->texts.size());
  bool const is_same = std::adjacent_find(ids.begin(), ids.end(), std::not_equal_to<>{}) == ids.end();
  if (classes > 2 || !is_same) return count_of(place, classes);
  std::fill(ids.begin(), ids.end(), 0);
  return 1;
}

[[nodiscard]] leaf_weights read_weights(node_place const& place, listed_trees const& trees) {
  bool const is_regressor = place.operation() == "TreeEnsembleRegressor";
  std::string const prefix = is_regressor ? "target_" : "class_";
  auto const tree_ids = integers_of(place, prefix + "treeids");
  auto const node_ids = integers_of(place, prefix + "nodeids");
  auto ids = integers_of(place, prefix + "ids");
  auto const weights = numbers_of(place, prefix + "weights");
  if (weights.empty() || tree_ids.size() != weights.size() || node_ids.size() != weights.size() ||
      ids.size() != weights.size()) {
    place.refuse(fmt::format("its lists {}* are not of one length, or empty", prefix));
  }
  leaf_weights made;
  made.outputs = outputs_of(place, ids);
  if (trees.nodes.size() * made.outputs > most_leaf_scores) {
    place.refuse(fmt::format("has {} nodes with {} scores each; allowed are {} in all", trees.nodes.size(),
                             made.outputs, most_leaf_scores));
  }
  made.of_nodes.resize(trees.nodes.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    auto const found = trees.numbers.find({tree_ids[i], node_ids[i]});
    if (found == trees.numbers.end() || !trees.nodes[found->second].is_leaf) {
      place.refuse(fmt::format("has a weight of node {} in tree {}, which is no leaf", node_ids[i], tree_ids[i]));
    }
    if (ids[i] < 0 || ids[i] >= made.outputs)
      place.refuse(fmt::format("has a weight of score {} of {}", ids[i], made.outputs));
    if (!std::isfinite(weights[i])) place.refuse("a weight is not finite");
    auto& of_node = made.of_nodes[found->second];
    of_node.resize(made.outputs);
    of_node[static_cast<std::size_t>(ids[i])] += static_cast<double>(weights[i]);
  }
  auto const base = numbers_of(place, "base_values");
  made.base.assign(base.begin(), base.end());
  if (made.base.empty()) made.base.resize(made.outputs);
  if (made.base.size() != made.outputs ||
      !std::all_of(made.base.begin(), made.base.end(), [](double b) { return std::isfinite(b); })) {
    place.refuse(fmt::format("its base_values are not {} finite numbers", made.outputs));
  }
  return made;
}

// Nodes in the memory form: the two nodes that one leads to lie side by side.
class tree_writer {
 public:
  tree_writer(listed_trees const& trees, leaf_weights const& weights, double steps)
      : trees_{trees}, weights_{weights}, steps_{steps} {}

  void write_all() {
    for (auto const root : trees_.roots) {
      roots_.push_back(static_cast<std::uint32_t>(nodes_.size()));
      nodes_.emplace_back();
      write_tree(root);
    }
  }
  [[nodiscard]] integer_network take() {
    network_writer writer;
    std::vector<std::int32_t> base;
    for (auto const value : weights_.base) base.push_back(in_steps(value));
    auto& header = writer.header;
    header.kind = network_kind::trees;
    header.count = static_cast<std::uint32_t>(roots_.size());
    header.outputs = weights_.outputs;
    header.parts = writer.add(roots_);
    header.nodes = writer.add(nodes_);
    header.node_count = static_cast<std::uint32_t>(nodes_.size());
    header.leaf_scores = writer.add(leaf_scores_);
    header.base = writer.add(base);
    return writer.take();
  }
  // The longest ways of all trees together.
  [[nodiscard]] std::uint64_t comparisons() const { return comparisons_; }

 private:
  struct pending {
    std::size_t listed;
    std::uint32_t at;
    std::uint32_t depth;
  };

  [[nodiscard]] std::int32_t in_steps(double value) const {
    return static_cast<std::int32_t>(std::llround(value * steps_));
  }

  void write_tree(std::size_t root) {
    std::uint32_t deepest = 0;
    std::vector<pending> left{{root, static_cast<std::uint32_t>(nodes_.size() - 1), 0}};
    while (!left.empty()) {
      auto const [listed, at, depth] = left.back();
      left.pop_back();
      deepest = std::max(deepest, depth);
      auto const& node = trees_.nodes[listed];
      if (node.is_leaf) {
        nodes_[at] = {.position = leaf_position, .reserved = 0, .threshold = 0, .next = leaf_value(listed)};
        continue;
      }
      auto const next = static_cast<std::uint32_t>(nodes_.size());
      nodes_[at] = {.position = node.position, .reserved = 0, .threshold = node.threshold, .next = next};
      nodes_.resize(nodes_.size() + 2);
      left.push_back({node.high, next + 1, depth + 1});
      left.push_back({node.low, next, depth + 1});
    }
    comparisons_ += deepest;
  }

  [[nodiscard]] std::uint32_t leaf_value(std::size_t listed) {
    auto scores = weights_.of_nodes[listed];
    scores.resize(weights_.outputs);
    if (weights_.outputs == 1) return static_cast<std::uint32_t>(in_steps(scores.front()));
    auto const number = static_cast<std::uint32_t>(leaf_scores_.size() / weights_.outputs);
    for (auto const score : scores) leaf_scores_.push_back(in_steps(score));
    return number;
  }

  listed_trees const& trees_;
  leaf_weights const& weights_;
  double steps_;
  std::vector<std::uint32_t> roots_;
  std::vector<tree_node> nodes_;
  std::vector<std::int32_t> leaf_scores_;
  std::uint64_t comparisons_{};
};

// The largest magnitude that any output's sum can have, on its way too.
[[nodiscard]] double largest_sum(listed_trees const& trees, leaf_weights const& weights) {
  double largest = 0;
  for (std::uint32_t o = 0; o < weights.outputs; ++o) {
    std::map<std::int64_t, double> of_trees;
    for (auto const& [ids, number] : trees.numbers) {
      if (weights.of_nodes[number].empty()) continue;
      auto& most = of_trees[ids.first];
      most = std::max(most, std::abs(weights.of_nodes[number][o]));
    }
    auto sum = std::abs(weights.base[o]);
    for (auto const& [tree, most] : of_trees) sum += most;
    largest = std::max(largest, sum);
  }
  return largest;
}

// Steps per 1: the largest power of two with which all sums, and the roundings of their parts, stay within 31 bits.
[[nodiscard]] double steps_for(double largest, std::size_t parts) {
  auto const room = static_cast<double>((std::int64_t{1} << 31) - 1 - static_cast<std::int64_t>(parts));
  if (largest == 0) return 1;
  int exponent = 0;
  (void)std::frexp(room / largest, &exponent);
  return std::ldexp(1.0, exponent - 1);
}

}  // namespace

tree_ensemble make_trees(node_place const& place, std::vector<std::uint32_t> const& positions) {
  require_subset(place);
  auto const trees = read_trees(place, positions);
  auto weights = read_weights(place, trees);
  // The base is added to the mean of the trees, so that the sum of both in steps has it once per tree.
  bool const is_mean = place.text("aggregate_function", "SUM") == "AVERAGE";
  auto const count = is_mean ? static_cast<double>(trees.roots.size()) : 1;
  for (auto& value : weights.base) value *= count;
  auto const largest = largest_sum(trees, weights);
  auto const steps = steps_for(largest, trees.roots.size() + 1);
  if (!std::isfinite(largest) || !std::isfinite(steps)) place.refuse("its weights are too large, or too small");
  tree_writer writer{trees, weights, steps};
  writer.write_all();
  tree_ensemble made;
  made.network = writer.take();
  made.unit = 1 / steps / count;
  made.facts = {.name = printable(place.name()),
                .kind = fmt::format("{} trees", trees.roots.size()),
                .inputs = static_cast<std::uint32_t>(positions.size()),
                .outputs = weights.outputs,
                .operations = writer.comparisons(),
                .bytes = made.network.bytes().size() - sizeof(network_header)};
  return made;
}

}  // namespace packetwarp::model
