// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "feature/row.h"
#include "model/integer_network.h"

namespace packetwarp::test {

// A tree: `above` points for a packet whose feature is above a number, else none.
struct question {
  feature::place at;
  std::int16_t number;
  std::vector<std::int32_t> above{100};
};

[[nodiscard]] inline model::integer_network network_of(question const& asked) {
  auto const outputs = static_cast<std::uint32_t>(asked.above.size());
  model::network_writer writer;
  auto leaves = std::vector<std::int32_t>(outputs);
  leaves.insert(leaves.end(), asked.above.begin(), asked.above.end());
  bool const is_sole = outputs == 1;
  std::vector<model::tree_node> nodes(3);
  nodes[0] = {.position = static_cast<std::uint8_t>(asked.at), .reserved = 0, .threshold = asked.number, .next = 1};
  nodes[1] = {.position = model::leaf_position, .reserved = 0, .threshold = 0, .next = 0};
  nodes[2] = {.position = model::leaf_position,
              .reserved = 0,
              .threshold = 0,
              .next = is_sole ? static_cast<std::uint32_t>(asked.above[0]) : 1};
  writer.header.kind = model::network_kind::trees;
  writer.header.count = 1;
  writer.header.outputs = outputs;
  writer.header.parts = writer.add(std::vector<std::uint32_t>{0});
  writer.header.nodes = writer.add(nodes);
  writer.header.node_count = 3;
  if (!is_sole) writer.header.leaf_scores = writer.add(leaves);
  writer.header.base = writer.add(std::vector<std::int32_t>(outputs));
  return writer.take();
}

}  // namespace packetwarp::test
