// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/network/room.h"
#include "function/network/unroll.h"
#include "function/network/words.h"
#include "model/integer_network.h"

namespace packetwarp::network_parts {

// A lane walks this many trees at the same time, so that it waits for the memory of all of them at once. Models often
// have tens of trees.
inline constexpr unsigned trees_at_once = 10;

// A node by one read.
[[nodiscard]] HOST_DEVICE inline model::tree_node read_node(model::tree_node const* node) {
  auto const words = read_words<two_words>(node);
  return {.position = static_cast<std::uint8_t>(words.of[0] & 0xff),
          .reserved = {},
          .threshold = static_cast<std::int16_t>(words.of[0] >> 16),
          .next = words.of[1]};
}

// Adds a leaf's scores.
HOST_DEVICE inline void add_leaf(model::network_ref network, std::uint32_t leaf,
                                 std::int32_t (&sums)[most_scores_by_group]) {
  auto const& header = network.header();
  if (header.outputs == 1) {
    sums[0] += static_cast<std::int32_t>(leaf);
    return;
  }
  auto const* const scores = network.at<std::int32_t>(header.leaf_scores) + std::size_t{leaf} * header.outputs;
  UNROLLED
  for (unsigned o = 0; o < most_scores_by_group; ++o) {
    if (o < header.outputs) sums[o] += scores[o];
  }
}

// Replaces a packet's row by its scores. A single lane calls it; lanes may walk for different packets side by side.
HOST_DEVICE inline void walk_trees(model::network_ref network, network_room& room, unsigned packet) {
  auto const header = network.header();
  auto const* const nodes = network.at<model::tree_node>(header.nodes);
  auto const* const roots = network.at<std::uint32_t>(header.parts);
  network_row const row{room, packet};
  std::int32_t sums[most_scores_by_group];
  UNROLLED
  for (unsigned o = 0; o < most_scores_by_group; ++o) {
    sums[o] = o < header.outputs ? network.at<std::int32_t>(header.base)[o] : no_score;
  }
  NOT_UNROLLED
  for (std::uint32_t tree = 0; tree < header.count; tree += trees_at_once) {
    model::tree_node at[trees_at_once];
    UNROLLED
    for (unsigned i = 0; i < trees_at_once; ++i) {
      at[i] = tree + i < header.count ? read_node(nodes + roots[tree + i])
                                      : model::tree_node{.position = model::leaf_position};
    }
    bool goes_on = true;
    while (goes_on) {
      goes_on = false;
      UNROLLED
      for (auto& node : at) {
        if (node.position == model::leaf_position) continue;
        node = read_node(nodes + node.next + (row[node.position] > node.threshold ? 1 : 0));
        goes_on = true;
      }
    }
    UNROLLED
    for (unsigned i = 0; i < trees_at_once; ++i) {
      if (tree + i < header.count) add_leaf(network, at[i].next, sums);
    }
  }
  UNROLLED
  for (unsigned o = 0; o < most_scores_by_group; ++o) row.word(o) = static_cast<std::uint32_t>(sums[o]);
}

}  // namespace packetwarp::network_parts
