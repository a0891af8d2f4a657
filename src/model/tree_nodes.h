// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/node_place.h"

namespace packetwarp::model {

// A node of a tree as it is listed, with a comparison of integers: the way is to `low` if x <= threshold, else to
// `high`.
struct listed_node {
  bool is_leaf{};
  std::uint8_t position{};
  std::int16_t threshold{};
  std::size_t low{};  // numbers of nodes in the list
  std::size_t high{};
};

// The trees of an ensemble. Each node is in one tree, and all nodes are reached from the roots, so that every walk
// ends.
struct listed_trees {
  std::vector<listed_node> nodes{};
  std::vector<std::size_t> roots{};
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> numbers{};  // by the ids of tree and node
};

// Reads the attributes nodes_*. Refuses the node: unlike lengths, another mode than a comparison, a threshold that is
// no number, a feature or node that does not exist, or nodes that form no trees.
[[nodiscard]] listed_trees read_trees(node_place const& place, std::vector<std::uint32_t> const& positions);

}  // namespace packetwarp::model
