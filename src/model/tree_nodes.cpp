// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/tree_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/integer_network.h"
#include "model/printable.h"

namespace packetwarp::model {
namespace {

// The lists that describe nodes, by node.
struct node_lists {
  std::vector<std::int64_t> const& trees;
  std::vector<std::int64_t> const& ids;
  std::vector<std::int64_t> const& features;
  std::vector<std::int64_t> const& on_true;
  std::vector<std::int64_t> const& on_false;
  std::vector<float> const& values;
  std::vector<std::string> const& modes;
};

[[nodiscard]] onnx::attribute const& required(node_place const& place, std::string_view name) {
  auto const* const found = place.node().find(name);
  if (found == nullptr) place.refuse(fmt::format("lacks the attribute '{}'", name));
  return *found;
}

[[nodiscard]] node_lists lists_of(node_place const& place) {
  node_lists const lists{.trees = required(place, "nodes_treeids").integers,
                         .ids = required(place, "nodes_nodeids").integers,
                         .features = required(place, "nodes_featureids").integers,
                         .on_true = required(place, "nodes_truenodeids").integers,
                         .on_false = required(place, "nodes_falsenodeids").integers,
                         .values = required(place, "nodes_values").numbers,
                         .modes = required(place, "nodes_modes").texts};
  auto const count = lists.ids.size();
  for (auto const size : {lists.trees.size(), lists.features.size(), lists.on_true.size(), lists.on_false.size(),
                          lists.values.size(), lists.modes.size()}) {
    if (size != count) place.refuse(fmt::format("its lists of nodes have {} and {} entries", count, size));
  }
  if (count == 0 || count > most_tree_nodes) {
    place.refuse(fmt::format("has {} nodes of trees; allowed are 1 to {}", count, most_tree_nodes));
  }
  return lists;
}

// A threshold of int8 values; -129: none is at most this, 127: all are.
[[nodiscard]] std::int16_t threshold_of(float whole) {
  return static_cast<std::int16_t>(std::clamp(whole, -129.0F, 127.0F));
}
// The last integer x with x <= value, and with x < value.
[[nodiscard]] std::int16_t last_up_to(float value) { return threshold_of(std::floor(value)); }
[[nodiscard]] std::int16_t last_below(float value) { return threshold_of(std::ceil(value) - 1.0F); }

class tree_reader {
 public:
  tree_reader(node_place const& place, std::vector<std::uint32_t> const& positions)
      : place_{place}, positions_{positions}, lists_{lists_of(place)} {}

  [[nodiscard]] listed_trees read() {
    number_nodes();
    for (std::size_t i = 0; i < lists_.ids.size(); ++i) made_.nodes.push_back(node_at(i));
    for (auto const root : made_.roots) reach(root);
    if (std::find(reached_.begin(), reached_.end(), false) != reached_.end()) {
      place_.refuse("its nodes form no trees: some are not reached from the first node of their tree");
    }
    return std::move(made_);
  }

 private:
  // A tree's first node is its root.
  void number_nodes() {
    std::map<std::int64_t, std::size_t> trees;
    for (std::size_t i = 0; i < lists_.ids.size(); ++i) {
      if (!made_.numbers.emplace(std::pair{lists_.trees[i], lists_.ids[i]}, i).second) {
        place_.refuse(fmt::format("node {} of tree {} is listed twice", lists_.ids[i], lists_.trees[i]));
      }
      if (trees.emplace(lists_.trees[i], i).second) made_.roots.push_back(i);
    }
    if (made_.roots.size() > most_trees) {
      place_.refuse(fmt::format("has {} trees; allowed are {}", made_.roots.size(), most_trees));
    }
    reached_.resize(lists_.ids.size());
  }

  [[nodiscard]] listed_node node_at(std::size_t i) const {
    auto const& mode = lists_.modes[i];
    if (mode == "LEAF") return {.is_leaf = true};
    bool const is_below = mode == "BRANCH_LEQ" || mode == "BRANCH_LT";
    if (!is_below && mode != "BRANCH_GT" && mode != "BRANCH_GTE") {
      place_.refuse(
          fmt::format("compares by {}; allowed are BRANCH_LEQ, BRANCH_LT, BRANCH_GT and BRANCH_GTE", printable(mode)));
    }
    if (std::isnan(lists_.values[i])) place_.refuse("a threshold is not a number");
    auto const feature = lists_.features[i];
    if (feature < 0 || static_cast<std::uint64_t>(feature) >= positions_.size()) {
      place_.refuse(fmt::format("compares feature {}, but {} features are named", feature, positions_.size()));
    }
    bool const includes_value = mode == "BRANCH_LEQ" || mode == "BRANCH_GT";
    auto const on_true = child(i, lists_.on_true[i]);
    auto const on_false = child(i, lists_.on_false[i]);
    return {.is_leaf = false,
            .position = static_cast<std::uint8_t>(positions_[static_cast<std::size_t>(feature)]),
            .threshold = includes_value ? last_up_to(lists_.values[i]) : last_below(lists_.values[i]),
            .low = is_below ? on_true : on_false,
            .high = is_below ? on_false : on_true};
  }

  [[nodiscard]] std::size_t child(std::size_t i, std::int64_t id) const {
    auto const found = made_.numbers.find({lists_.trees[i], id});
    if (found == made_.numbers.end()) {
      place_.refuse(
          fmt::format("node {} of tree {} leads to node {}, which does not exist", lists_.ids[i], lists_.trees[i], id));
    }
    return found->second;
  }

  void reach(std::size_t root) {
    std::vector<std::size_t> left{root};
    while (!left.empty()) {
      auto const i = left.back();
      left.pop_back();
      if (reached_[i])
        place_.refuse(fmt::format("two ways lead to node {} of tree {}", lists_.ids[i], lists_.trees[i]));
      reached_[i] = true;
      if (made_.nodes[i].is_leaf) continue;
      left.push_back(made_.nodes[i].high);
      left.push_back(made_.nodes[i].low);
    }
  }

  node_place const& place_;
  std::vector<std::uint32_t> const& positions_;
  node_lists lists_;
  listed_trees made_;
  std::vector<bool> reached_;
};

}  // namespace

listed_trees read_trees(node_place const& place, std::vector<std::uint32_t> const& positions) {
  return tree_reader{place, positions}.read();
}

}  // namespace packetwarp::model
