// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "model/integer_network.h"

// A tree is walked for several rows side by side: a walk waits for each of its nodes, and the walks of other rows fill
// that time. All rows take a step at a time, and a row that is at a leaf stays there. The way from a node is computed,
// not branched on: half of such branches would be predicted wrongly. A node is read as one word (integer_network.h):
// its position, its threshold from bit 16 on, and the next node, or what a leaf has in its place, from bit 32 on.
namespace packetwarp::model {

static_assert(std::has_single_bit(row_bytes) && std::endian::native == std::endian::little);

// leaves: of each row, the word of its leaf.
template <std::size_t Rows>
void walk_tree(std::uint64_t const* nodes, std::uint32_t root, std::int8_t const* rows, std::uint32_t* leaves) {
  std::array<std::uint32_t, Rows> at;
  at.fill(root);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < Rows; ++i) {
      auto const node = nodes[at[i]];
      auto const position = node & 0xff;
      // A leaf compares any byte of the row.
      auto const value = rows[i * row_bytes + position % row_bytes];
      auto const threshold = static_cast<std::int16_t>(node >> 16);
      auto const next = static_cast<std::uint32_t>(node >> 32) + static_cast<std::uint32_t>(value > threshold);
      bool const is_leaf = position == leaf_position;
      at[i] = is_leaf ? at[i] : next;
      goes_on |= !is_leaf;
    }
  }
  for (std::size_t i = 0; i < Rows; ++i) leaves[i] = static_cast<std::uint32_t>(nodes[at[i]] >> 32);
}

// The same on a processor with AVX-512 BW, for vector_walk_rows rows and one tree or more; leaves: of all rows by the
// first tree, then by the second one, and so on.
inline constexpr std::size_t vector_walk_rows = 32;
inline constexpr std::uint32_t most_vector_trees = 2;
void walk_trees_avx512(std::uint64_t const* nodes, std::uint32_t const* roots, std::uint32_t trees,
                       std::int8_t const* rows, std::uint32_t* leaves);

}  // namespace packetwarp::model
