// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "regex/syntax/syntax_tree.h"

namespace packetwarp::regex {

enum class graph_kind : std::uint8_t { match, bytes, place, split };

struct graph_node {
  graph_kind kind{};
  assertion place{};
  std::uint32_t set{};
  std::uint32_t next{};
  std::uint32_t other{};  // of a split: the second way on
};

// An expression as an automaton with empty steps (Thompson's), in which repetitions are written out. A node that comes
// earlier in the expression has a greater number, except for ways back of repetitions. The search for a match at any
// place of a text is a part of it: before the expression it takes any bytes.
struct graph {
  std::vector<graph_node> nodes{};  // the first is the match
  std::vector<byte_set> sets{};
  std::uint32_t start{};
};

inline constexpr std::uint32_t most_written_out = 2048;  // nodes of bytes
inline constexpr std::uint32_t most_nodes = 16'384;

// Throws refused if it has more nodes, which it finds before it makes any.
[[nodiscard]] graph write_out(syntax_tree tree);

}  // namespace packetwarp::regex
