// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The operations before the scores.
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "model/graph/graph_walk.h"
#include "model/weights.h"

namespace packetwarp::model {
namespace {

using onnx::element_type;

constexpr double no_bound = std::numeric_limits<double>::infinity();

// Gemm's attributes: only the orientation of the weights is free.
[[nodiscard]] matrix_order order_of_gemm(node_place const& place) {
  if (place.integer("transA", 0) != 0) place.refuse("transposes its input; allowed is transA = 0");
  if (place.number("alpha", 1) != 1 || place.number("beta", 1) != 1) place.refuse("allowed are alpha = 1 and beta = 1");
  return place.integer("transB", 0) != 0 ? matrix_order::outputs_first : matrix_order::inputs_first;
}

}  // namespace

void graph_walk::quantise_by(node_place const& place, std::size_t scale_input, std::size_t zero_point_input,
                             element_type otherwise) {
  chain_.quantise(place, activation_at(constants_, place, scale_input, zero_point_input, otherwise));
  type_ = place.input(zero_point_input).empty() ? otherwise : constants_.at(place, zero_point_input).data->type;
  become(place, value_kind::quantised);
}

// ONNX has one type for integers and their zero point.
activation graph_walk::input_at(node_place const& place, std::size_t scale_input, std::size_t zero_point_input) const {
  auto const found = activation_at(constants_, place, scale_input, zero_point_input, type_);
  if (place.input(zero_point_input).empty()) return found;
  if (auto const given = constants_.at(place, zero_point_input).data->type; given != type_) {
    place.refuse(fmt::format("its zero point is {}, but the values before it are {}; both have to be the same",
                             onnx::name_of(given), onnx::name_of(type_)));
  }
  return found;
}

void graph_walk::quantise(node_place const& place) {
  require(place, value_kind::real);
  quantise_by(place, 1, 2, quantised_type(constants_, place));
}

void graph_walk::dequantise(node_place const& place) {
  require(place, value_kind::quantised);
  chain_.give_meaning(input_at(place, 1, 2));
  become(place, value_kind::real);
}

// Positions side by side are a matrix, of which a product takes one row after the other; none here.
void graph_walk::require_flat(node_place const& place) const {
  if (values_of(shape_) == shape_.back()) return;
  place.refuse(fmt::format("its input has the shape {}; a Flatten or a Reshape to [-1, {}] has to come before it",
                           text_of(shape_), values_of(shape_)));
}

void graph_walk::multiply_by(node_place const& place, weight_matrix weights) {
  require_flat(place);
  chain_.multiply(place, std::move(weights));
  shape_.back() = chain_.width();
}

void graph_walk::gemm(node_place const& place) {
  require(place, value_kind::real);
  multiply_by(place, weights_of(place, constants_.at(place, 1), order_of_gemm(place)));
  if (!place.input(2).empty()) chain_.add(place, numbers_of(place, constants_.at(place, 2), chain_.width()));
  become(place, value_kind::real);
}

void graph_walk::matmul(node_place const& place) {
  require(place, value_kind::real);
  multiply_by(place, weights_of(place, constants_.at(place, 1), matrix_order::inputs_first));
  become(place, value_kind::real);
}

void graph_walk::add(node_place const& place) {
  chain_.add(place, numbers_for(place, operand(place), shape_));
  become(place, value_kind::real);
}

void graph_walk::multiply(node_place const& place) {
  chain_.scale(place, numbers_for(place, operand(place), shape_));
  become(place, value_kind::real);
}

void graph_walk::relu(node_place const& place) {
  require(place, value_kind::real);
  chain_.bound(place, 0, no_bound);
  become(place, value_kind::real);
}

// Bounds are inputs since version 11 of the operation, attributes before.
void graph_walk::clip(node_place const& place) {
  require(place, value_kind::real);
  auto const bound_at = [&](std::size_t input, char const* attribute, double otherwise) {
    if (!place.input(input).empty()) return numbers_of(place, constants_.at(place, input), 1).front();
    return place.node().find(attribute) != nullptr ? double{place.number(attribute, 0)} : otherwise;
  };
  auto const low = bound_at(1, "min", -no_bound);
  auto const high = bound_at(2, "max", no_bound);
  chain_.bound(place, low, high);
  become(place, value_kind::real);
}

void graph_walk::require_zero_points(node_place const& place) const {
  for (std::size_t const input : {2U, 5U, 7U}) (void)constants_.at(place, input);
}

void graph_walk::quantised_matmul(node_place const& place) {
  require(place, value_kind::quantised);
  require_zero_points(place);
  chain_.give_meaning(input_at(place, 1, 2));
  auto weights = constants_.at(place, 3);
  weights.by = scaling_at(constants_, place, 4, 5, 1);
  multiply_by(place, weights_of(place, weights, matrix_order::inputs_first));
  quantise_by(place, 6, 7, element_type::uint8);
}

// An operation of ONNX Runtime's own domain: the bias is in units of the sums, and the result is float without a scale
// and a zero point for it.
void graph_walk::quantised_gemm(node_place const& place) {
  require(place, value_kind::quantised);
  if (place.input(7).empty() != place.input(8).empty()) {
    place.refuse("has a scale or a zero point of its result alone; allowed are both, or neither for a float result");
  }
  auto const order = order_of_gemm(place);
  auto const input = input_at(place, 1, 2);
  chain_.give_meaning(input);
  auto weights = constants_.at(place, 3);
  weights.by = scaling_at(constants_, place, 4, 5, order == matrix_order::outputs_first ? 0 : 1);
  auto matrix = weights_of(place, weights, order);
  auto const scales = matrix.scales;
  multiply_by(place, std::move(matrix));
  if (!place.input(6).empty()) {
    auto sums = numbers_of(place, constants_.at(place, 6), chain_.width());
    sums.resize(scales.size(), sums.front());
    for (std::size_t o = 0; o < sums.size(); ++o) sums[o] *= input.scale * scales[o];
    chain_.add(place, sums);
  }
  if (place.input(7).empty()) return become(place, value_kind::real);
  quantise_by(place, 7, 8, element_type::uint8);
}

// An operation of ONNX Runtime's own domain: both operands have a scale and a zero point after them. The result has the
// operands' type.
void graph_walk::quantised_add(node_place const& place) {
  if (kind_ != value_kind::quantised) place.refuse("its input is not int8 or uint8");
  std::size_t const value = place.input(0) == value_ ? 0 : 3;
  auto const other = 3 - value;
  chain_.give_meaning(input_at(place, value + 1, value + 2));
  auto bias = constants_.at(place, other);
  if (!bias.is_integer() || bias.by || bias.data->type == element_type::int64)
    place.refuse("its constant is not quantised");
  bias.by = scaling_at(constants_, place, other + 1, other + 2, 0);
  if (bias.by->scales.size() != 1) place.refuse("its constant has several scales");
  chain_.add(place, numbers_for(place, bias, shape_));
  quantise_by(place, 6, 7, type_);
}

std::vector<std::int64_t> graph_walk::integer_zero_points(node_place const& place, std::size_t input) const {
  if (place.input(input).empty()) return {0};
  auto const& given = constants_.at(place, input);
  if (given.data->type != element_type::int8 && given.data->type != element_type::uint8) {
    place.refuse("its zero points are neither int8 nor uint8");
  }
  return given.data->integers;
}

std::int32_t graph_walk::integer_zero_point(node_place const& place, std::size_t input) const {
  auto const of_input = integer_zero_points(place, input);
  if (of_input.size() != 1) place.refuse("has several zero points for its rows");
  return static_cast<std::int32_t>(of_input.front()) - (type_ == element_type::uint8 ? 128 : 0);
}

// Its sums are whole numbers; a Cast and a Mul with a constant give them a scale.
void graph_walk::integer_matmul(node_place const& place) {
  require(place, value_kind::quantised);
  chain_.give_meaning({.scale = 1, .zero_point = integer_zero_point(place, 2)});
  auto weights = constants_.at(place, 1);
  auto zero_points = integer_zero_points(place, 3);
  auto const count = zero_points.size();
  weights.by = scaling{.scales = std::vector<double>(count, 1), .zero_points = std::move(zero_points), .axis = 1};
  multiply_by(place, weights_of(place, weights, matrix_order::inputs_first));
  become(place, value_kind::sums);
}

void graph_walk::cast(node_place const& place) {
  auto const to = static_cast<element_type>(place.integer("to", 0));
  if (to != element_type::float32) place.refuse(fmt::format("casts to {}; allowed is float", onnx::name_of(to)));
  // The integers themselves become the real numbers.
  if (kind_ == value_kind::quantised) {
    chain_.give_meaning({.scale = 1, .zero_point = type_ == element_type::uint8 ? -128 : 0});
  }
  become(place, value_kind::real);
}

}  // namespace packetwarp::model
