// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/integer_network.h"
#include "model/layer_facts.h"
#include "model/node_place.h"

namespace packetwarp::model {

// The meaning of int8 values: real = (value - zero point) x scale. uint8 values are these plus 128, zero points too.
struct activation {
  double scale{1};
  std::int32_t zero_point{};
  friend bool operator==(activation const&, activation const&) = default;
};

struct weight_matrix {
  std::uint32_t inputs{};
  std::uint32_t outputs{};
  std::vector<std::int8_t> values{};  // [outputs][inputs]
  std::vector<double> scales{};       // of each output
  std::string_view kind{"dense"};     // for layer_facts
};

// Dense layers, put together step by step as the nodes of a graph come. A layer is open from its matrix until the next
// matrix or the end: until then a bias, bounds, and the meaning of its results may come. An intermediate meaning is
// replaced by the last one, so that an exporter's QuantizeLinear and DequantizeLinear between a product and its Relu
// cost no accuracy. Each step refuses the node if it cannot be.
class dense_chain {
 public:
  // The rows' places of the model's features.
  explicit dense_chain(std::vector<std::uint32_t> positions);

  [[nodiscard]] bool has_layers() const { return open_.has_value(); }
  // Whether the current values are the row's bytes themselves.
  [[nodiscard]] bool is_row() const;
  // The number of values that the next step has.
  [[nodiscard]] std::uint32_t width() const;
  // The meaning of the current integers, if they have one.
  [[nodiscard]] std::optional<activation> const& meaning() const { return meaning_; }
  // The rows' places of the current values, if no layer has been opened.
  [[nodiscard]] std::vector<std::uint32_t> const& positions() const { return positions_; }

  // Puts the current values into another order: for each new one, the number of the old one.
  void permute(std::vector<std::uint32_t> const& order);

  // The current values become integers of this meaning, bounded to int8: QuantizeLinear.
  void quantise(node_place const& place, activation as);
  // The current integers have this meaning: DequantizeLinear.
  void give_meaning(activation as) { meaning_ = as; }
  // The product with a matrix opens a layer.
  void multiply(node_place const& place, weight_matrix weights);
  // Change the open layer, with a number for all outputs or one for each. After add() the values have no meaning until
  // the next quantise().
  void add(node_place const& place, std::vector<double> const& bias);
  void scale(node_place const& place, std::vector<double> const& factors);
  void bound(node_place const& place, double low, double high);

  // Ends the last layer. The facts of the layers, and the real value of a score of 1, are known then. `path` is the
  // file's, for errors.
  [[nodiscard]] integer_network finish(std::string const& path);
  [[nodiscard]] std::vector<layer_facts> const& facts() const { return facts_; }
  [[nodiscard]] double unit() const { return unit_; }

 private:
  struct open_layer {
    node_place place;
    weight_matrix weights;
    activation input;
    std::vector<double> bias;  // real
    double low{-std::numeric_limits<double>::infinity()};
    double high{std::numeric_limits<double>::infinity()};
    [[nodiscard]] bool is_bounded() const;
  };

  // The open layer, for a step that computes with real numbers.
  open_layer& open(node_place const& place);
  void close_inner();
  void close_last();
  dense_layer write_sums(open_layer const& layer);
  [[nodiscard]] bool reads_by_table() const;
  [[nodiscard]] std::vector<std::int32_t> integer_bias(open_layer const& layer) const;
  [[nodiscard]] std::vector<std::int8_t> placed_weights(open_layer const& layer, std::uint32_t padded_inputs,
                                                        std::uint32_t padded_outputs) const;

  std::vector<std::uint32_t> positions_;
  std::array<std::int8_t, 256> table_{};  // by the row's byte
  std::optional<activation> meaning_{activation{}};
  std::optional<activation> quantised_as_;  // the open layer's results, for the next layer
  std::optional<open_layer> open_;
  std::vector<dense_layer> layers_;
  network_writer writer_;
  std::vector<layer_facts> facts_;
  double unit_{1};
};

}  // namespace packetwarp::model
