// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "model/fixed_point.h"
#include "model/integer_network.h"

namespace packetwarp::model::test {

// Full trees have all their leaves at the same depth.
enum class tree_shape : std::uint8_t { any, full };

// The layers of a usual network are those of a file whose inner layers end with Relu, quantised without a zero point.
enum class layer_kind : std::uint8_t { any, usual };

// Networks of random weights and scales, written part by part as a loader does. A factor may be far from the useful
// ones, and weights and rows have their extreme values.
class random_networks {
 public:
  explicit random_networks(std::uint32_t seed) : random_{seed} {}

  // 1 to 4 layers of up to 100 outputs.
  [[nodiscard]] integer_network make() { return make_dense(4, 100, 20); }
  [[nodiscard]] integer_network make_dense(std::uint32_t most_layers, std::uint32_t most_width,
                                           std::uint32_t most_scores) {
    std::vector<std::uint32_t> widths{below(row_bytes) + 1};
    for (auto n = below(most_layers); n > 0; --n) widths.push_back(below(most_width) + 1);
    widths.push_back(below(most_scores) + 1);
    return make_dense(widths);
  }
  // widths: the features, then the outputs of each layer. A usual network reads rows as they are.
  [[nodiscard]] integer_network make_dense(std::span<std::uint32_t const> widths, layer_kind kind = layer_kind::any) {
    network_writer writer;
    std::vector<dense_layer> layers;
    for (std::size_t n = 1; n < widths.size(); ++n) {
      auto const padded_inputs = n == 1 ? row_bytes : (widths[n - 1] + 31) / 32 * 32;
      layers.push_back(layer(writer, padded_inputs, widths[n - 1], widths[n], kind));
    }
    if (kind == layer_kind::usual || below(2) == 0) layers.back().scales = 0;
    writer.header.kind = network_kind::dense;
    writer.header.count = static_cast<std::uint32_t>(layers.size());
    writer.header.outputs = layers.back().outputs;
    if (kind == layer_kind::any && below(2) == 0) writer.header.input_table = writer.add(any_bytes(256));
    writer.header.parts = writer.add(layers);
    return writer.take();
  }

  [[nodiscard]] integer_network make_trees(std::uint32_t count, std::uint32_t depth, std::uint32_t outputs,
                                           tree_shape shape = tree_shape::any) {
    std::vector<tree_node> nodes;
    std::vector<std::uint32_t> roots;
    std::vector<std::int32_t> leaf_scores;
    for (std::uint32_t n = 0; n < count; ++n) {
      roots.push_back(static_cast<std::uint32_t>(nodes.size()));
      nodes.emplace_back();
      grow(nodes, leaf_scores, roots.back(), depth, outputs, shape);
    }
    network_writer writer;
    writer.header.kind = network_kind::trees;
    writer.header.count = count;
    writer.header.outputs = outputs;
    writer.header.parts = writer.add(roots);
    writer.header.nodes = writer.add(nodes);
    writer.header.node_count = static_cast<std::uint32_t>(nodes.size());
    if (outputs > 1) writer.header.leaf_scores = writer.add(leaf_scores);
    std::vector<std::int32_t> base;
    for (std::uint32_t o = 0; o < outputs; ++o) base.push_back(score());
    writer.header.base = writer.add(base);
    return writer.take();
  }

  // All of them the smallest, the largest or random numbers.
  [[nodiscard]] std::vector<std::int8_t> bytes(std::size_t count) {
    auto const kind = below(3);
    if (kind == 2) return any_bytes(count);
    return std::vector<std::int8_t>(count, kind == 0 ? std::int8_t{-128} : std::int8_t{127});
  }
  [[nodiscard]] std::vector<std::int8_t> any_bytes(std::size_t count) {
    std::vector<std::int8_t> made(count);
    for (auto& one : made) one = static_cast<std::int8_t>(random_());
    return made;
  }
  [[nodiscard]] std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

 private:
  // 4,096 of them do not overflow.
  [[nodiscard]] std::int32_t score() { return static_cast<std::int32_t>(below(1'000'001)) - 500'000; }

  void grow(std::vector<tree_node>& nodes, std::vector<std::int32_t>& leaf_scores, std::uint32_t at,
            std::uint32_t depth, std::uint32_t outputs, tree_shape shape) {
    if (depth == 0 || (shape == tree_shape::any && below(12) == 0)) {
      nodes[at].position = leaf_position;
      nodes[at].next =
          outputs == 1 ? static_cast<std::uint32_t>(score()) : static_cast<std::uint32_t>(leaf_scores.size() / outputs);
      for (std::uint32_t o = 0; outputs > 1 && o < outputs; ++o) leaf_scores.push_back(score());
      return;
    }
    auto const next = static_cast<std::uint32_t>(nodes.size());
    nodes[at].position = static_cast<std::uint8_t>(below(row_bytes));
    nodes[at].threshold = static_cast<std::int16_t>(static_cast<std::int32_t>(below(257)) - 129);
    nodes[at].next = next;
    nodes.resize(nodes.size() + 2);
    grow(nodes, leaf_scores, next, depth - 1, outputs, shape);
    grow(nodes, leaf_scores, next + 1, depth - 1, outputs, shape);
  }

  dense_layer layer(network_writer& writer, std::uint32_t padded_inputs, std::uint32_t inputs, std::uint32_t outputs,
                    layer_kind kind) {
    dense_layer made;
    made.inputs = inputs;
    made.outputs = outputs;
    made.padded_inputs = padded_inputs;
    made.padded_outputs = (outputs + 7) / 8 * 8;
    std::vector<std::int8_t> weights(std::size_t{padded_inputs} * made.padded_outputs);
    std::vector<std::int32_t> bias(made.padded_outputs);
    auto unsigned_bias = bias;
    std::vector<fixed_factor> factors(made.padded_outputs, fixed_factor{0, 1});
    for (std::uint32_t o = 0; o < outputs; ++o) {
      auto const row = bytes(inputs);
      std::copy(row.begin(), row.end(), weights.begin() + std::ptrdiff_t{o} * padded_inputs);
      bias[o] = static_cast<std::int32_t>(random_() % 2'000'000'000) - 1'000'000'000;
      if (kind == layer_kind::usual || below(2) == 0) bias[o] /= 100'000;
      unsigned_bias[o] = bias[o];
      for (auto const weight : row) unsigned_bias[o] -= 128 * weight;
      factors[o] = {static_cast<std::int32_t>(random_() >> 33), static_cast<std::int32_t>(below(62) + 1)};
      if (kind == layer_kind::usual || below(2) == 0) factors[o].shift = static_cast<std::int32_t>(below(12) + 34);
    }
    made.used_inputs = used_inputs_of(weights, padded_inputs);
    made.weights = writer.add(weights);
    made.bias = writer.add(bias);
    made.unsigned_bias = writer.add(unsigned_bias);
    made.scales = writer.add(factors);
    made.range = {.low = 0, .high = 127, .zero_point = 0};
    if (kind == layer_kind::usual) return made;
    made.range.zero_point = static_cast<std::int32_t>(below(256)) - 128;
    made.range.low = -128 - made.range.zero_point;
    made.range.high = 127 - made.range.zero_point;
    if (below(2) == 0) made.range.low = std::min(made.range.high, 0);
    return made;
  }

  std::mt19937_64 random_;
};

}  // namespace packetwarp::model::test
