// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "feature/row.h"
#include "function/detect/detect.h"
#include "function/detect/detect_table.h"
#include "model/integer_network.h"
#include "parity/oracle.h"

namespace packetwarp::test {

// Eight random trees of depth 3, which an oracle evaluates quickly: by_group_test and tests/detect have other networks.
// They read the features of the packet alone, because the suite's bursts do not come in order: tests/detect has packets
// whose flows and hosts count.
[[nodiscard]] inline model::integer_network make_network_of_packets() {
  constexpr unsigned trees = 8;
  constexpr unsigned inner = 7;
  constexpr unsigned all = 15;
  constexpr auto of_packet = static_cast<unsigned>(feature::place::flow_packets);
  std::mt19937 random{7};
  std::vector<std::uint32_t> roots;
  std::vector<model::tree_node> nodes;
  for (unsigned tree = 0; tree < trees; ++tree) {
    roots.push_back(tree * all);
    for (unsigned n = 0; n < all; ++n) {
      bool const is_inner = n < inner;
      auto const score = static_cast<std::int32_t>(random() % 2001) - 1000;
      nodes.push_back({.position = is_inner ? static_cast<std::uint8_t>(random() % of_packet) : model::leaf_position,
                       .reserved = 0,
                       .threshold = static_cast<std::int16_t>(random() % 64),
                       .next = is_inner ? tree * all + 2 * n + 1 : static_cast<std::uint32_t>(score)});
    }
  }
  model::network_writer writer;
  writer.header.kind = model::network_kind::trees;
  writer.header.count = trees;
  writer.header.outputs = 1;
  writer.header.parts = writer.add(roots);
  writer.header.nodes = writer.add(nodes);
  writer.header.node_count = static_cast<std::uint32_t>(nodes.size());
  writer.header.base = writer.add(std::vector<std::int32_t>(1));
  return writer.take();
}

template <>
struct suite_tables<detect> {
  [[nodiscard]] static table_refs<detect> in(table_place copy, company) {
    auto const make = [](table_place place) {
      auto const network = make_network_of_packets();
      return new detect_table{
          {.models = {{network.ref(), 1500}}, .action = detect_action::drop, .dscp = 0, .most_records = 1000},
          {.flows = 64, .hosts = 64},
          hash_key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345},
          1,
          place};
    };
    static auto const* const on_host = make({});
    if (copy.gpu == table_place::host) return {on_host->ref(0), on_host->ref(0)};
    static auto const* const on_gpu = make(copy);
    return {on_host->ref(0), on_gpu->ref(0)};
  }
};

}  // namespace packetwarp::test
