// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/host_device.h"
#include "base/unroll.h"

namespace packetwarp::inspect {

// The begins of ascending intervals as a tree, which a search reads from its top: a node has eight numbers, each of
// them the first one of a node of the next level. All levels but the last one have room for eight times the numbers of
// the one above, and the last one ends with its last node. So a search reads one node for each level, one place of
// memory, where a binary search has three reads, each of which waits for the one before. (The layout of Rao and Ross,
// "Making B+-trees cache conscious in main memory", SIGMOD 2000, without their node headers.)
inline constexpr std::uint32_t node_numbers = 8;

struct interval_tree {
  std::uint32_t offset;  // of the numbers in the compiled rules, a multiple of `alignment`
  std::uint32_t count;   // of intervals, at least one: the first one begins at 0
  std::uint32_t levels;

  static constexpr std::size_t alignment = node_numbers * sizeof(std::uint32_t);
};

// The numbers of the tree, by levels. begins: ascending from 0.
[[nodiscard]] std::vector<std::uint32_t> tree_of_intervals(std::vector<std::uint32_t> const& begins);
[[nodiscard]] std::uint32_t levels_of_intervals(std::size_t count);

// The searches of `Count` trees, side by side, so that a GPU waits once for the reads of all of them.
template <std::uint32_t Count>
class interval_search {
 public:
  // tree(i): interval_tree; base: of the compiled rules.
  template <class Tree>
  HOST_DEVICE interval_search(std::byte const* base, std::uint32_t const (&numbers)[Count], Tree&& tree) {
    interval_tree trees[Count];
    std::uint32_t levels = 0;
    UNROLLED
    for (std::uint32_t i = 0; i < Count; ++i) {
      trees[i] = tree(i);
      levels = trees[i].levels > levels ? trees[i].levels : levels;
    }
    std::uint32_t begin = 0;  // of the level
    NOT_UNROLLED
    for (std::uint32_t level = 0; level < levels; ++level) {
      node nodes[Count];
      UNROLLED
      for (std::uint32_t i = 0; i < Count; ++i) {
        auto const at = level < trees[i].levels ? begin + found_[i] * node_numbers : 0;
        nodes[i] = *reinterpret_cast<node const*>(base + trees[i].offset + std::size_t{at} * sizeof(std::uint32_t));
      }
      UNROLLED
      for (std::uint32_t i = 0; i < Count; ++i) {
        if (level < trees[i].levels) found_[i] = next(trees[i], level, found_[i], nodes[i], numbers[i]);
      }
      begin = begin * node_numbers + node_numbers;
    }
  }

  // The interval that the number of tree i lies in.
  [[nodiscard]] HOST_DEVICE std::uint32_t operator[](std::uint32_t i) const { return found_[i]; }

 private:
  struct alignas(16) half_node {
    std::uint32_t numbers[node_numbers / 2];
  };
  struct node {
    half_node halves[2];
  };

  // The place in the level of the last number that is not above the searched one.
  [[nodiscard]] HOST_DEVICE static std::uint32_t next(interval_tree const& tree, std::uint32_t level,
                                                      std::uint32_t node_place, node const& of, std::uint32_t number) {
    std::uint32_t not_above = 0;
    UNROLLED
    for (std::uint32_t n = 0; n < node_numbers; ++n) {
      not_above += of.halves[n / (node_numbers / 2)].numbers[n % (node_numbers / 2)] <= number ? 1 : 0;
    }
    // The room after the level's last number has the greatest numbers, which an address may be.
    auto const last = (tree.count - 1) >> (tree.levels - 1 - level) * node_bits;
    auto const found = node_place * node_numbers + not_above - 1;
    return found < last ? found : last;
  }
  static constexpr std::uint32_t node_bits = 3;
  static_assert(1U << node_bits == node_numbers);

  std::uint32_t found_[Count]{};
};

}  // namespace packetwarp::inspect
