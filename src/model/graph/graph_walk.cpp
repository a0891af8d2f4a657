// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/graph/graph_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "model/printable.h"
#include "model/weights.h"

namespace packetwarp::model {
namespace {

using onnx::element_type;

constexpr std::array<std::string_view, 4> known_domains{"", "ai.onnx", "ai.onnx.ml", "com.microsoft"};
// Operations after the scores: they keep the order, or choose by it.
constexpr std::array<std::string_view, 14> after_the_scores{
    "Sigmoid",  "Softmax", "LogSoftmax", "QLinearSigmoid", "QLinearSoftmax", "ArgMax",         "ZipMap",
    "Identity", "Cast",    "Reshape",    "Flatten",        "Squeeze",        "QuantizeLinear", "DequantizeLinear"};

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

// load.cpp has made sure that the dimensions fit.
[[nodiscard]] row_shape shape_of_input(onnx::value_info const& input, std::uint32_t features) {
  if (input.dims.size() < 3) return {features};
  row_shape made;
  for (std::size_t i = 1; i < input.dims.size(); ++i) made.push_back(static_cast<std::uint32_t>(input.dims[i]));
  return made;
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
                                          {"Unsqueeze", &graph_walk::unsqueeze},
                                          {"Squeeze", &graph_walk::squeeze},
                                          {"Transpose", &graph_walk::transpose},
                                          {"Conv", &graph_walk::convolve},
                                          {"QLinearConv", &graph_walk::quantised_convolve},
                                          {"ConvInteger", &graph_walk::integer_convolve},
                                          {"MaxPool", &graph_walk::maximum_pool},
                                          {"AveragePool", &graph_walk::average_pool},
                                          {"GlobalMaxPool", &graph_walk::global_maximum_pool},
                                          {"GlobalAveragePool", &graph_walk::global_average_pool},
                                          {"ReduceMean", &graph_walk::reduce_mean},
                                          {"QLinearAveragePool", &graph_walk::quantised_average_pool},
                                          {"QLinearGlobalAveragePool", &graph_walk::quantised_global_average_pool},
                                          {"Sigmoid", &graph_walk::end},
                                          {"Softmax", &graph_walk::end},
                                          {"LogSoftmax", &graph_walk::end},
                                          {"QLinearSigmoid", &graph_walk::end},
                                          {"QLinearSoftmax", &graph_walk::end},
                                          {"ArgMax", &graph_walk::end},
                                          {"TreeEnsembleClassifier", &graph_walk::ensemble},
                                          {"TreeEnsembleRegressor", &graph_walk::ensemble},
                                          {"Scaler", &graph_walk::refuse_scaling},
                                          {"Normalizer", &graph_walk::refuse_scaling}};
  return all;
}

graph_walk::graph_walk(onnx::file const& file, onnx::value_info const& input, std::vector<std::uint32_t> positions)
    : path_{file.path},
      constants_{file},
      chain_{std::move(positions)},
      shape_{shape_of_input(input, chain_.width())},
      value_{input.name} {
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
        "is not supported; allowed are quantised dense layers (Gemm, MatMul, Add, Relu, Clip), 1-D convolutions and "
        "pools, and tree ensembles");
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
  // onnxmltools multiplies LightGBM's probabilities by 1. Another factor would be missing in the threshold's unit.
  bool const multiplies = place.operation() == "Mul";
  if (multiplies && operand_after_the_end(place) != 1)
    place.refuse(fmt::format("multiplies the scores by {}; allowed is 1: let the threshold be in the unit before it",
                             operand_after_the_end(place)));
  if (!multiplies && !contains(after_the_scores, place.operation())) {
    place.refuse("comes after the scores: after a Sigmoid, Softmax, ArgMax or tree ensemble nothing is computed");
  }
  for (auto const& name : place.node().outputs) results_.insert(name);
}

void graph_walk::end(node_place const& place) {
  if (!chain_.has_layers()) place.refuse("has no layer before it");
  require_along_scores(place);
  for (auto const& name : place.node().outputs) results_.insert(name);
}

void graph_walk::ensemble(node_place const& place) {
  if (!chain_.is_row()) place.refuse("takes features that were computed; allowed is the model's input itself");
  trees_ = make_trees(place, chain_.positions());
  for (auto const& name : place.node().outputs) results_.insert(name);
}

void graph_walk::refuse_scaling(node_place const& place) {
  place.refuse(
      "is not supported: rows are int8; scale the features before training, so that the model takes int8 values");
}

}  // namespace packetwarp::model
