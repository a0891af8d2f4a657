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

// 64-32-1, of random weights. It reads the features of the packet alone, because the suite's bursts do not come in
// order: tests/detect has packets whose flows and hosts count.
[[nodiscard]] inline model::integer_network make_network_of_packets() {
  std::mt19937 random{7};
  constexpr auto of_packet = static_cast<unsigned>(feature::place::flow_packets);
  std::vector<std::int8_t> first(32 * model::row_bytes);
  for (unsigned n = 0; n < first.size(); ++n) {
    if (n % model::row_bytes < of_packet) first[n] = static_cast<std::int8_t>(random());
  }
  std::vector<std::int8_t> last(8 * 32);
  for (unsigned n = 0; n < 32; ++n) last[n] = static_cast<std::int8_t>(random());
  model::network_writer writer;
  std::vector<model::dense_layer> layers(2);
  layers[0] = {.inputs = model::row_bytes,
               .outputs = 32,
               .padded_inputs = model::row_bytes,
               .padded_outputs = 32,
               .weights = writer.add(first),
               .bias = writer.add(std::vector<std::int32_t>(32)),
               .unsigned_bias = writer.add(std::vector<std::int32_t>(32)),
               .scales = writer.add(std::vector<model::fixed_factor>(32, model::fixed_factor{1 << 20, 27})),
               .range = {.low = 0, .high = 127, .zero_point = 0}};
  layers[1] = {.inputs = 32,
               .outputs = 1,
               .padded_inputs = 32,
               .padded_outputs = 8,
               .weights = writer.add(last),
               .bias = writer.add(std::vector<std::int32_t>(8)),
               .unsigned_bias = writer.add(std::vector<std::int32_t>(8))};
  writer.header.kind = model::network_kind::dense;
  writer.header.count = 2;
  writer.header.outputs = 1;
  writer.header.parts = writer.add(layers);
  return writer.take();
}

template <>
struct suite_tables<detect> {
  [[nodiscard]] static table_refs<detect> in(table_place copy, company) {
    auto const make = [](table_place place) {
      auto const network = make_network_of_packets();
      return new detect_table{{.models = {{network.ref(), 0}}, .action = detect_action::drop, .dscp = 0},
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
