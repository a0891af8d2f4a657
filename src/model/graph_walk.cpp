// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/graph_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "model/printable.h"
#include "model/weights.h"

namespace packetwarp::model {
namespace {

using onnx::element_type;

constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr std::array<std::string_view, 4> known_domains{"", "ai.onnx", "ai.onnx.ml", "com.microsoft"};
// Operations after the scores: they keep the order, or choose by it.
constexpr std::array<std::string_view, 12> after_the_scores{
    "Sigmoid", "Softmax", "LogSoftmax", "ArgMax",  "ZipMap",         "Identity",
    "Cast",    "Reshape", "Flatten",    "Squeeze", "QuantizeLinear", "DequantizeLinear"};

[[nodiscard]] bool contains(auto const& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Softmax and ArgMax work along the scores of a row, not along the rows; ArgMax does so only if it is told.
void require_along_scores(node_place const& place) {
  if (!place.operation().ends_with("Softmax") && place.operation() != "ArgMax") return;
  auto const axis = place.integer("axis", place.operation() == "ArgMax" ? 0 : -1);
  if (axis != 1 && axis != -1)
    place.refuse(fmt::format("works along axis {}; allowed are 1 and -1, the scores of a row", axis));
}

// Gemm's attributes: only the orientation of the weights is free.
[[nodiscard]] matrix_order order_of_gemm(node_place const& place) {
  if (place.integer("transA", 0) != 0) place.refuse("transposes its input; allowed is transA = 0");
  if (place.number("alpha", 1) != 1 || place.number("beta", 1) != 1) place.refuse("allowed are alpha = 1 and beta = 1");
  return place.integer("transB", 0) != 0 ? matrix_order::outputs_first : matrix_order::inputs_first;
}

}  // namespace

std::vector<graph_walk::operation> const& graph_walk::operations() {
  static std::vector<operation> const all{{"QuantizeLinear", &graph_walk::quantise},
                                          {"DequantizeLinear", &graph_walk::dequantise},
                                          {"Gemm", &graph_walk::gemm},
                                          {"MatMul", &graph_walk::matmul},
                                          {"Add", &graph_walk::add},
                                          {"Mul", &graph_walk::multiply},
                                          {"Relu", &graph_walk::relu},
                                          {"Clip", &graph_walk::clip},
                                          {"QLinearMatMul", &graph_walk::quantised_matmul},
                                          {"QGemm", &graph_walk::quantised_gemm},
                                          {"QLinearAdd", &graph_walk::quantised_add},
                                          {"MatMulInteger", &graph_walk::integer_matmul},
                                          {"Cast", &graph_walk::cast},
                                          {"Identity", &graph_walk::pass},
                                          {"Flatten", &graph_walk::flatten},
                                          {"Reshape", &graph_walk::reshape},
                                          {"Sigmoid", &graph_walk::end},
                                          {"Softmax", &graph_walk::end},
                                          {"LogSoftmax", &graph_walk::end},
                                          {"ArgMax", &graph_walk::end},
                                          {"TreeEnsembleClassifier", &graph_walk::ensemble},
                                          {"TreeEnsembleRegressor", &graph_walk::ensemble},
                                          {"Scaler", &graph_walk::refuse_scaling},
                                          {"Normalizer", &graph_walk::refuse_scaling}};
  return all;
}

graph_walk::graph_walk(onnx::file const& file, onnx::value_info const& input, std::vector<std::uint32_t> positions)
    : path_{file.path}, constants_{file}, positions_{std::move(positions)}, chain_{positions_}, value_{input.name} {
  if (input.type == element_type::int8) {
    kind_ = value_kind::quantised;
    type_ = element_type::int8;
  }
}

void graph_walk::take(onnx::node const& node) {
  node_place const place{path_, node};
  if (!contains(known_domains, node.domain)) {
    place.refuse(fmt::format("is of the domain '{}', which is not supported", printable(node.domain)));
  }
  if (constants_.take(place)) return;
  require_chain(place);
  if (!results_.empty()) return take_after_the_end(place);
  auto const& all = operations();
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.name == node.op_type; });
  if (found == all.end()) {
    place.refuse(
        "is not supported; allowed are quantised dense layers (Gemm, MatMul, Add, Relu, Clip) and tree ensembles");
  }
  (this->*found->take)(place);
}

void graph_walk::require_chain(node_place const& place) const {
  std::size_t values = 0;
  for (auto const& name : place.node().inputs) {
    if (name.empty() || constants_.find(name) != nullptr) continue;
    if (!is_result(name)) {
      place.refuse(fmt::format("takes '{}', which is not the result of the node before it; nodes have to form a chain",
                               printable(name)));
    }
    ++values;
  }
  if (values != 1) place.refuse("takes two values that depend on the row; nodes have to form a chain");
}

void graph_walk::require(node_place const& place, value_kind kind) const {
  if (kind_ == kind && place.input(0) == value_) return;
  place.refuse(kind == value_kind::quantised ? "its first input is not int8 or uint8"
                                             : "its first input is not float: a DequantizeLinear is missing before it");
}

constant const& graph_walk::operand(node_place const& place) const {
  if (kind_ != value_kind::real) place.refuse("its input is not float: a DequantizeLinear is missing before it");
  return constants_.at(place, place.input(0) == value_ ? 1 : 0);
}

void graph_walk::become(node_place const& place, value_kind kind) {
  value_ = place.output();
  kind_ = kind;
}

double graph_walk::operand_after_the_end(node_place const& place) const {
  auto const& inputs = place.node().inputs;
  auto const is_constant = [this](std::string const& name) { return constants_.find(name) != nullptr; };
  auto const at = std::find_if(inputs.begin(), inputs.end(), is_constant) - inputs.begin();
  return numbers_of(place, constants_.at(place, static_cast<std::size_t>(at)), 1).front();
}

void graph_walk::take_after_the_end(node_place const& place) {
  require_along_scores(place);
  // onnxmltools multiplies LightGBM's probabilities by 1.
  bool const multiplies = place.operation() == "Mul" && operand_after_the_end(place) > 0;
  if (!multiplies && !contains(after_the_scores, place.operation())) {
    place.refuse("comes after the scores: after a Sigmoid, Softmax, ArgMax or tree ensemble nothing is computed");
  }
  for (auto const& name : place.node().outputs) results_.insert(name);
}

void graph_walk::quantise_by(node_place const& place, std::size_t scale_input, std::size_t zero_point_input,
                             element_type otherwise) {
  chain_.quantise(place, activation_at(constants_, place, scale_input, zero_point_input, otherwise));
  type_ = place.input(zero_point_input).empty() ? otherwise : constants_.at(place, zero_point_input).data->type;
  become(place, value_kind::quantised);
}

void graph_walk::quantise(node_place const& place) {
  require(place, value_kind::real);
  auto const type = static_cast<element_type>(place.integer("output_dtype", 0));
  quantise_by(place, 1, 2, type == element_type::undefined ? element_type::uint8 : type);
}

void graph_walk::dequantise(node_place const& place) {
  require(place, value_kind::quantised);
  chain_.give_meaning(activation_at(constants_, place, 1, 2, type_));
  become(place, value_kind::real);
}

void graph_walk::gemm(node_place const& place) {
  require(place, value_kind::real);
  chain_.multiply(place, weights_of(place, constants_.at(place, 1), order_of_gemm(place)));
  if (!place.input(2).empty()) chain_.add(place, numbers_of(place, constants_.at(place, 2), chain_.width()));
  become(place, value_kind::real);
}

void graph_walk::matmul(node_place const& place) {
  require(place, value_kind::real);
  chain_.multiply(place, weights_of(place, constants_.at(place, 1), matrix_order::inputs_first));
  become(place, value_kind::real);
}

void graph_walk::add(node_place const& place) {
  chain_.add(place, numbers_of(place, operand(place), chain_.width()));
  become(place, value_kind::real);
}

void graph_walk::multiply(node_place const& place) {
  chain_.scale(place, numbers_of(place, operand(place), chain_.width()));
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

void graph_walk::quantised_matmul(node_place const& place) {
  require(place, value_kind::quantised);
  chain_.give_meaning(activation_at(constants_, place, 1, 2, type_));
  auto weights = constants_.at(place, 3);
  weights.by = scaling_at(constants_, place, 4, 5, 1);
  chain_.multiply(place, weights_of(place, weights, matrix_order::inputs_first));
  quantise_by(place, 6, 7, element_type::uint8);
}

// An operation of ONNX Runtime's own domain: the bias is in units of the sums, and the result is float without a scale
// for it.
void graph_walk::quantised_gemm(node_place const& place) {
  require(place, value_kind::quantised);
  auto const order = order_of_gemm(place);
  auto const input = activation_at(constants_, place, 1, 2, type_);
  chain_.give_meaning(input);
  auto weights = constants_.at(place, 3);
  weights.by = scaling_at(constants_, place, 4, 5, order == matrix_order::outputs_first ? 0 : 1);
  auto matrix = weights_of(place, weights, order);
  auto const scales = matrix.scales;
  chain_.multiply(place, std::move(matrix));
  if (!place.input(6).empty()) {
    auto sums = numbers_of(place, constants_.at(place, 6), chain_.width());
    sums.resize(scales.size(), sums.front());
    for (std::size_t o = 0; o < sums.size(); ++o) sums[o] *= input.scale * scales[o];
    chain_.add(place, sums);
  }
  if (place.input(7).empty()) return become(place, value_kind::real);
  quantise_by(place, 7, 8, element_type::uint8);
}

// An operation of ONNX Runtime's own domain: both operands have a scale and a zero point after them.
void graph_walk::quantised_add(node_place const& place) {
  if (kind_ != value_kind::quantised) place.refuse("its input is not int8 or uint8");
  std::size_t const value = place.input(0) == value_ ? 0 : 3;
  auto const other = 3 - value;
  chain_.give_meaning(activation_at(constants_, place, value + 1, value + 2, type_));
  auto bias = constants_.at(place, other);
  if (!bias.is_integer() || bias.by || bias.data->type == element_type::int64)
    place.refuse("its constant is not quantised");
  bias.by = scaling_at(constants_, place, other + 1, other + 2, 0);
  if (bias.by->scales.size() != 1) place.refuse("its constant has several scales");
  chain_.add(place, numbers_of(place, bias, chain_.width()));
  quantise_by(place, 6, 7, element_type::uint8);
}

// Its sums are whole numbers; a Cast and a Mul with a constant give them a scale.
void graph_walk::integer_matmul(node_place const& place) {
  require(place, value_kind::quantised);
  auto const zero_point_of = [&](std::size_t input) -> std::vector<std::int64_t> {
    if (place.input(input).empty()) return {0};
    auto const& given = constants_.at(place, input);
    if (given.data->type != element_type::int8 && given.data->type != element_type::uint8) {
      place.refuse("its zero points are neither int8 nor uint8");
    }
    return given.data->integers;
  };
  auto const of_input = zero_point_of(2);
  if (of_input.size() != 1) place.refuse("has several zero points for its rows");
  auto const offset = type_ == element_type::uint8 ? 128 : 0;
  chain_.give_meaning({.scale = 1, .zero_point = static_cast<std::int32_t>(of_input.front()) - offset});
  auto weights = constants_.at(place, 1);
  auto zero_points = zero_point_of(3);
  auto const count = zero_points.size();
  weights.by = scaling{.scales = std::vector<double>(count, 1), .zero_points = std::move(zero_points), .axis = 1};
  chain_.multiply(place, weights_of(place, weights, matrix_order::inputs_first));
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

void graph_walk::pass(node_place const& place) { become(place, kind_); }

void graph_walk::flatten(node_place const& place) {
  if (auto const axis = place.integer("axis", 1); axis != 1 && axis != -1)
    place.refuse("changes the shape; allowed is axis = 1");
  pass(place);
}

void graph_walk::reshape(node_place const& place) {
  auto const& shape = constants_.at(place, 1);
  auto const width = static_cast<std::int64_t>(chain_.width());
  bool const keeps =
      shape.is_integer() && shape.size() == 2 &&
      (shape.data->integers[1] == width || (shape.data->integers[1] == -1 && shape.data->integers[0] == 0) ||
       (shape.data->integers[1] == 0 && shape.data->integers[0] <= 0));
  if (!keeps) place.refuse(fmt::format("changes the shape; allowed is [-1, {}]", width));
  pass(place);
}

void graph_walk::end(node_place const& place) {
  if (!chain_.has_layers()) place.refuse("has no layer before it");
  require_along_scores(place);
  for (auto const& name : place.node().outputs) results_.insert(name);
}

void graph_walk::ensemble(node_place const& place) {
  if (!chain_.is_row()) place.refuse("takes features that were computed; allowed is the model's input itself");
  trees_ = make_trees(place, positions_);
  for (auto const& name : place.node().outputs) results_.insert(name);
}

void graph_walk::refuse_scaling(node_place const& place) {
  place.refuse(
      "is not supported: rows are int8; scale the features before training, so that the model takes int8 values");
}

}  // namespace packetwarp::model
