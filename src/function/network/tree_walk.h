// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "function/group.h"
#include "function/network/room.h"
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

// Adds the scores that the trees from `first` to before `end` have for a row.
HOST_DEVICE inline void add_trees(model::network_ref network, network_row const& row, std::uint32_t first,
                                  std::uint32_t end, std::int32_t (&sums)[most_scores_by_group]) {
  auto const& header = network.header();
  auto const* const nodes = network.at<model::tree_node>(header.nodes);
  auto const* const roots = network.at<std::uint32_t>(header.parts);
  NOT_UNROLLED
  for (std::uint32_t tree = first; tree < end; tree += trees_at_once) {
    model::tree_node at[trees_at_once];
    UNROLLED
    for (unsigned i = 0; i < trees_at_once; ++i) {
      at[i] = tree + i < end ? read_node(nodes + roots[tree + i]) : model::tree_node{.position = model::leaf_position};
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
      if (tree + i < end) add_leaf(network, at[i].next, sums);
    }
  }
}

// The lanes that walk trees for a packet: if a group has few packets, the lanes without one take some of the trees of
// others. Their number is a power of two. The lanes of packet n are n and every (most_lanes / lanes)th lane after it.
inline constexpr unsigned most_lanes = joint_packets;
// packets: one at least.
[[nodiscard]] HOST_DEVICE constexpr unsigned lanes_of_packet(unsigned packets) {
  unsigned lanes = 1;
  while (lanes * 2 * packets <= most_lanes) lanes *= 2;
  return lanes;
}

// The place of a lane's sum between the rows of the first 16 packets and those of the others. Only groups that have no
// others need it.
[[nodiscard]] HOST_DEVICE inline std::uint32_t& sum_of_lane(network_room& room, unsigned lane, unsigned output) {
  return room.words[tile_rows * row_words + output * most_lanes + lane];
}
static_assert(tile_rows * row_words + most_scores_by_group * most_lanes <= first_word_of(tile_rows));

// Replaces the rows of a group's packets, of which there is one at least, by their scores. All lanes of a warp call it.
HOST_DEVICE inline void walk_trees(auto const& group, model::network_ref network, network_room& room) {
  auto const& header = network.header();
  auto const lanes = lanes_of_packet(group.packets());
  auto const stride = most_lanes / lanes;
  auto const packet = group.lane() % stride;
  auto const share = (header.count + lanes - 1) / lanes;
  auto const first = group.lane() / stride * share;
  auto const end = first + share < header.count ? first + share : header.count;
  bool const is_there = packet < group.packets();
  std::int32_t sums[most_scores_by_group]{};
  if (is_there) add_trees(network, network_row{room, packet}, first, end, sums);
  if (lanes > 1) {
    UNROLLED
    for (unsigned o = 0; o < most_scores_by_group; ++o) {
      if (o < header.outputs) sum_of_lane(room, group.lane(), o) = static_cast<std::uint32_t>(sums[o]);
    }
    group.sync();  // after it, no row is read any more
  }
  if (!is_there || group.lane() >= stride) return;
  network_row const row{room, packet};
  UNROLLED
  for (unsigned o = 0; o < most_scores_by_group; ++o) {
    if (o >= header.outputs) {
      row.word(o) = static_cast<std::uint32_t>(no_score);
      continue;
    }
    auto sum = static_cast<std::uint32_t>(sums[o] + network.at<std::int32_t>(header.base)[o]);
    NOT_UNROLLED
    for (unsigned other = 1; other < lanes; ++other) sum += sum_of_lane(room, packet + other * stride, o);
    row.word(o) = sum;
  }
}

}  // namespace packetwarp::network_parts
