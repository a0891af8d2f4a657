// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace packetwarp::model {
namespace {

void require_matrix(node_place const& place, constant const& from) {
  auto const& dims = from.dims();
  auto const fits = [](std::int64_t dim) { return dim >= 1 && dim <= most_width; };
  if (dims.size() != 2 || !std::all_of(dims.begin(), dims.end(), fits)) {
    place.refuse(fmt::format("its weights are no matrix of up to {} x {}", most_width, most_width));
  }
  require_quantised(place, from);
}

void require_finite(node_place const& place, std::vector<double> const& numbers) {
  if (!std::all_of(numbers.begin(), numbers.end(), [](double value) { return std::isfinite(value); })) {
    place.refuse("its constant is not finite");
  }
}

// A tensor's number for each value of a shape. dims: as many as the shape has, each of them 1 or the shape's.
[[nodiscard]] std::vector<std::size_t> repeated(std::vector<std::int64_t> const& dims, row_shape const& shape) {
  std::vector<std::size_t> made{0};
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::vector<std::size_t> more;
    auto const dim = static_cast<std::size_t>(dims[axis]);
    for (auto const index : made) {
      for (std::size_t i = 0; i < shape[axis]; ++i) more.push_back(index * dim + (dim == 1 ? 0 : i));
    }
    made = std::move(more);
  }
  return made;
}

}  // namespace

void require_quantised(node_place const& place, constant const& from) {
  auto const type = from.data->type;
  if (!from.by || (type != onnx::element_type::int8 && type != onnx::element_type::uint8)) {
    place.refuse(
        fmt::format("its weights are {}: quantise the model to int8 (onnxruntime.quantization.quantize_static does)",
                    onnx::name_of(type)));
  }
}

std::int8_t weight_of(node_place const& place, constant const& from, std::size_t index) {
  auto const value = from.data->integers[index] - from.by->zero_points[from.scale_index(index)];
  if (value < -128 || value > 127) {
    place.refuse(
        "its weights are not symmetric: their zero point must be 0; quantise them with symmetric weights (QInt8)");
  }
  return static_cast<std::int8_t>(value);
}

weight_matrix weights_of(node_place const& place, constant const& from, matrix_order order) {
  require_matrix(place, from);
  auto const& dims = from.dims();
  auto const outputs_axis = order == matrix_order::outputs_first ? 0U : 1U;
  auto const scales = from.by->scales.size();
  if (scales > 1 && (from.by->axis != outputs_axis || dims[outputs_axis] != static_cast<std::int64_t>(scales))) {
    place.refuse(fmt::format("its weights have {} scales; allowed are one, and one per output", scales));
  }
  weight_matrix made;
  made.outputs = static_cast<std::uint32_t>(dims[outputs_axis]);
  made.inputs = static_cast<std::uint32_t>(dims[1 - outputs_axis]);
  made.values.reserve(from.size());
  for (std::uint32_t o = 0; o < made.outputs; ++o) {
    made.scales.push_back(from.by->scales[from.by->scales.size() > 1 ? o : 0]);
    for (std::uint32_t i = 0; i < made.inputs; ++i) {
      auto const index =
          order == matrix_order::outputs_first ? std::size_t{o} * made.inputs + i : std::size_t{i} * made.outputs + o;
      made.values.push_back(weight_of(place, from, index));
    }
  }
  return made;
}

std::vector<double> numbers_of(node_place const& place, constant const& from, std::uint32_t outputs) {
  if (from.size() != 1 && (from.size() != outputs || from.dims().back() != static_cast<std::int64_t>(outputs))) {
    place.refuse(fmt::format("its constant has {} values; allowed are 1 and {}", from.size(), outputs));
  }
  std::vector<double> made;
  for (std::size_t i = 0; i < from.size(); ++i) made.push_back(from.real(i));
  require_finite(place, made);
  return made;
}

std::vector<double> numbers_for(node_place const& place, constant const& from, row_shape const& shape) {
  auto dims = from.dims();
  while (dims.size() > shape.size() && dims.front() == 1) dims.erase(dims.begin());
  bool fits = from.size() == 1 || dims.size() <= shape.size();
  while (fits && dims.size() < shape.size()) dims.insert(dims.begin(), 1);
  for (std::size_t i = 0; fits && from.size() != 1 && i < shape.size(); ++i) {
    fits = dims[i] == 1 || dims[i] == static_cast<std::int64_t>(shape[i]);
  }
  if (!fits) {
    place.refuse(fmt::format(
        "its constant of the shape [{}] does not fit the values before it, {}",
        fmt::join(std::span{from.dims()}.first(std::min<std::size_t>(from.dims().size(), 8)), ", "), text_of(shape)));
  }
  std::vector<double> made;
  if (from.size() == 1) {
    made.push_back(from.real(0));
  } else {
    for (auto const index : repeated(dims, shape)) made.push_back(from.real(index));
  }
  require_finite(place, made);
  return made;
}

activation activation_at(constant_table const& constants, node_place const& place, std::size_t scale_input,
                         std::size_t zero_point_input, onnx::element_type otherwise) {
  auto const by = scaling_at(constants, place, scale_input, zero_point_input, 0);
  if (by.scales.size() != 1) place.refuse("has several scales; only weights may");
  auto const type =
      place.input(zero_point_input).empty() ? otherwise : constants.at(place, zero_point_input).data->type;
  if (type != onnx::element_type::int8 && type != onnx::element_type::uint8) {
    place.refuse(fmt::format("its values are {}; allowed are int8 and uint8", onnx::name_of(type)));
  }
  auto const zero_point = by.zero_points.front() - (type == onnx::element_type::uint8 ? 128 : 0);
  return {.scale = by.scales.front(),
          .zero_point = static_cast<std::int32_t>(std::clamp<std::int64_t>(zero_point, -128, 127))};
}

}  // namespace packetwarp::model
