// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools along a sequence. They become dense layers, so that all code that evaluates a network
// evaluates them.
#include <fmt/format.h>

#include <utility>

#include "model/graph/graph_walk.h"
#include "model/sequence/convolution.h"
#include "model/sequence/pooling.h"
#include "model/weights.h"

namespace packetwarp::model {

using onnx::element_type;

windows graph_walk::convolve_by(node_place const& place, constant const& weights) {
  auto const of = sequence_of(place, shape_);
  auto const all = windows_of(place, of, convolution_width(place, weights, of));
  auto matrix = convolution_of(place, weights, of, all);
  shape_ = shape_of(of, matrix.outputs / all.count, all.count);
  chain_.multiply(place, std::move(matrix));
  return all;
}

void graph_walk::convolve(node_place const& place) {
  require(place, value_kind::real);
  auto const all = convolve_by(place, constants_.at(place, 1));
  if (!place.input(2).empty()) {
    chain_.add(place, for_windows(numbers_of(place, constants_.at(place, 2), shape_.front()), all));
  }
  become(place, value_kind::real);
}

// The bias is in units of the sums.
void graph_walk::quantised_convolve(node_place const& place) {
  require(place, value_kind::quantised);
  require_zero_points(place);
  auto const input = input_at(place, 1, 2);
  chain_.give_meaning(input);
  auto weights = constants_.at(place, 3);
  weights.by = scaling_at(constants_, place, 4, 5, 0);
  auto const all = convolve_by(place, weights);
  if (!place.input(8).empty()) {
    auto sums = numbers_of(place, constants_.at(place, 8), shape_.front());
    sums.resize(shape_.front(), sums.front());
    auto const& scales = weights.by->scales;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] *= input.scale * scales[scales.size() > 1 ? i : 0];
    chain_.add(place, for_windows(sums, all));
  }
  quantise_by(place, 6, 7, element_type::uint8);
}

void graph_walk::integer_convolve(node_place const& place) {
  require(place, value_kind::quantised);
  chain_.give_meaning({.scale = 1, .zero_point = integer_zero_point(place, 2)});
  auto weights = constants_.at(place, 1);
  auto zero_points = integer_zero_points(place, 3);
  std::vector<double> ones(zero_points.size(), 1);
  weights.by = scaling{.scales = std::move(ones), .zero_points = std::move(zero_points)};
  (void)convolve_by(place, weights);
  become(place, value_kind::sums);
}

// Pools take real numbers that integers stand for, or these integers.
void graph_walk::require_quantised_values(node_place const& place) const {
  if (kind_ == value_kind::sums || place.input(0) != value_) place.refuse("its first input is neither int8 nor uint8");
}

void graph_walk::maximum_pool(node_place const& place) {
  require_quantised_values(place);
  if (place.node().outputs.size() > 1 && !place.node().outputs[1].empty()) {
    place.refuse("has a second output, the places of the maxima; only the maxima are supported");
  }
  auto const of = sequence_of(place, shape_);
  auto const all = windows_of(place, of, kernel_width_of(place, of, 0));
  maximum_by_layers(chain_, place, groups_of(place, of, all));
  shape_ = shape_of(of, of.channels, all.count);
  pass(place);
}

void graph_walk::global_maximum_pool(node_place const& place) {
  require_quantised_values(place);
  auto const of = sequence_of(place, shape_);
  maximum_by_layers(chain_, place, groups_of(place, of, {.width = of.positions, .count = 1}));
  shape_ = shape_of(of, of.channels, 1);
  pass(place);
}

void graph_walk::average_by_windows(node_place const& place) {
  auto const of = sequence_of(place, shape_);
  auto const all = windows_of(place, of, kernel_width_of(place, of, 0));
  auto const padding = place.integer("count_include_pad", 0) != 0 ? padding_kind::counts : padding_kind::is_left_out;
  average_by_layer(chain_, place, groups_of(place, of, all), all.width, padding);
  shape_ = shape_of(of, of.channels, all.count);
}

void graph_walk::average_of_all(node_place const& place) {
  auto const of = sequence_of(place, shape_);
  average_by_layer(chain_, place, groups_of(place, of, {.width = of.positions, .count = 1}), of.positions,
                   padding_kind::is_left_out);
  shape_ = shape_of(of, of.channels, 1);
}

void graph_walk::average_pool(node_place const& place) {
  require(place, value_kind::real);
  average_by_windows(place);
  become(place, value_kind::real);
}

void graph_walk::global_average_pool(node_place const& place) {
  require(place, value_kind::real);
  average_of_all(place);
  become(place, value_kind::real);
}

// PyTorch's exporter writes this for a pool over all positions, Keras' for GlobalAveragePooling1D.
void graph_walk::reduce_mean(node_place const& place) {
  require(place, value_kind::real);
  auto const axes = integers_at(place, 1, "axes");
  if (axes.empty()) place.refuse("has no axes: it would reduce the rows, too");
  std::vector<bool> goes(shape_.size());
  for (auto const axis : axes) goes[axis_in(place, axis, shape_.size() + 1) - 1] = true;
  auto kept = shape_;
  row_shape made;
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    if (goes[i]) kept[i] = 1;
    if (!goes[i] || place.integer("keepdims", 1) != 0) made.push_back(kept[i]);
  }
  if (made.empty()) made.push_back(1);
  average_by_layer(chain_, place, groups_along(shape_, kept), 0, padding_kind::is_left_out);
  shape_ = std::move(made);
  become(place, value_kind::real);
}

// Operations of ONNX Runtime's own domain. The result has the input's type.
void graph_walk::quantised_average_pool(node_place const& place) {
  require(place, value_kind::quantised);
  chain_.give_meaning(input_at(place, 1, 2));
  average_by_windows(place);
  quantise_by(place, 3, 4, type_);
}

void graph_walk::quantised_global_average_pool(node_place const& place) {
  require(place, value_kind::quantised);
  if (place.integer("channels_last", 0) != 0) place.refuse("has channels_last = 1; allowed is 0");
  chain_.give_meaning(input_at(place, 1, 2));
  average_of_all(place);
  quantise_by(place, 3, 4, type_);
}

}  // namespace packetwarp::model
