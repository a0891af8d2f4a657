// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "regex/positions/graph.h"
#include "regex/positions/place_kind.h"

namespace packetwarp::regex {

// A node that empty steps lead to, and the kinds of places at which they do.
struct reached_node {
  std::uint32_t node;
  std::uint8_t places;
};

// Empty steps that an expression may take in all.
inline constexpr std::uint32_t most_empty_steps = 4'000'000;

// Follows the empty steps of a graph, which must outlive it.
class empty_steps {
 public:
  explicit empty_steps(graph const& of) : of_{of}, reached_(of.nodes.size()), asks_(of.nodes.size(), unknown) {}

  // The nodes that take a byte, and the match, from a node on, which itself is one of them or an empty step. before:
  // the byte taken last. Throws refused at the bound.
  [[nodiscard]] std::vector<reached_node> from(std::uint32_t node, byte_before before, std::uint8_t places);

  // Whether an assertion right after a node that takes a byte asks which byte it was. Throws refused at the bound.
  [[nodiscard]] bool asks_after(std::uint32_t node);

 private:
  static constexpr std::uint8_t unknown = 2;

  void visit(std::uint32_t node, std::uint8_t places);
  void forget();

  graph const& of_;
  std::vector<std::uint8_t> reached_;     // places, by node
  std::vector<std::uint8_t> asks_;        // by node: 0, 1 or unknown
  std::vector<std::uint32_t> touched_{};  // the nodes that are reached
  std::vector<reached_node> stack_{};
  std::uint32_t steps_{};
};

}  // namespace packetwarp::regex
