// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/integer_network.h"
#include "model/printable.h"

namespace packetwarp::model {
namespace {

// Axes may count from the end.
[[nodiscard]] std::size_t axis_of(node_place const& place, std::int64_t otherwise, std::size_t dimensions) {
  auto axis = place.integer("axis", otherwise);
  if (axis < 0) axis += static_cast<std::int64_t>(dimensions);
  return axis < 0 ? 0 : static_cast<std::size_t>(axis);
}

void require_scaling_fits(node_place const& place, constant const& made) {
  auto const& by = *made.by;
  if (by.scales.size() == 1) return;
  if (by.axis >= made.dims().size() || static_cast<std::size_t>(made.dims()[by.axis]) != by.scales.size()) {
    place.refuse(fmt::format("{} scales do not fit its axis {}", by.scales.size(), by.axis));
  }
}

// ONNX has one type for integers and their zero point.
void require_same_type(node_place const& place, onnx::element_type zero_point, onnx::element_type values) {
  if (zero_point == values) return;
  place.refuse(fmt::format("its zero point is {}, but its input is {}; both have to be the same",
                           onnx::name_of(zero_point), onnx::name_of(values)));
}

}  // namespace

std::size_t constant::scale_index(std::size_t index) const {
  if (!by || by->scales.size() == 1) return 0;
  std::size_t stride = 1;
  for (auto i = by->axis + 1; i < dims().size(); ++i) stride *= static_cast<std::size_t>(dims()[i]);
  return index / stride % by->scales.size();
}

double constant::real(std::size_t index) const {
  if (!is_integer()) return static_cast<double>(data->floats[index]);
  auto const value = data->integers[index];
  if (!by) return static_cast<double>(value);
  auto const at = scale_index(index);
  return static_cast<double>(value - by->zero_points[at]) * by->scales[at];
}

constant_table::constant_table(onnx::file const& file) {
  for (auto const& tensor : file.initializers) {
    // The file outlives the loading.
    all_[tensor.name] = {.data = std::shared_ptr<onnx::tensor const>{std::shared_ptr<void>{}, &tensor}, .by = {}};
  }
}

constant const* constant_table::find(std::string_view name) const {
  auto const found = all_.find(name);
  return found == all_.end() ? nullptr : &found->second;
}

constant const& constant_table::at(node_place const& place, std::size_t input) const {
  auto const name = place.input(input);
  if (name.empty()) place.refuse(fmt::format("its input {} is missing", input + 1));
  auto const* const found = find(name);
  if (found == nullptr) {
    place.refuse(
        fmt::format("its input {}, '{}', depends on the row; only a constant is allowed", input + 1, printable(name)));
  }
  if (found->data->is_external) {
    place.refuse(fmt::format("the tensor '{}' lies in another file; save the model in one file", printable(name)));
  }
  if (found->size() == 0) {
    place.refuse(
        fmt::format("the tensor '{}' is empty or of the type {}; allowed are float, int8, uint8, int32 and int64",
                    printable(name), onnx::name_of(found->data->type)));
  }
  return *found;
}

double constant_table::scale_at(node_place const& place, std::size_t input) const {
  auto const& found = at(place, input);
  if (found.size() != 1 || !std::isfinite(found.real(0)) || found.real(0) <= 0) {
    place.refuse(fmt::format("its input {} is not a single positive number", input + 1));
  }
  return found.real(0);
}

bool constant_table::take(node_place const& place) {
  auto const& inputs = place.node().inputs;
  auto const is_constant = [this](std::string const& name) { return name.empty() || find(name) != nullptr; };
  if (!std::all_of(inputs.begin(), inputs.end(), is_constant)) return false;
  make(place);
  return true;
}

void constant_table::make(node_place const& place) {
  auto const& operation = place.operation();
  if (operation == "Constant") {
    auto const* const value = place.node().find("value");
    if (value == nullptr || !value->value) place.refuse("only a constant with a tensor (attribute 'value') is allowed");
    all_[place.output()] = {.data = std::make_shared<onnx::tensor>(*value->value), .by = {}};
  } else if (operation == "Identity") {
    all_[place.output()] = constant{at(place, 0)};
  } else if (operation == "Transpose") {
    all_[place.output()] = transposed(place, at(place, 0));
  } else if (operation == "QuantizeLinear") {
    all_[place.output()] = quantised(place);
  } else if (operation == "DequantizeLinear") {
    auto made = at(place, 0);
    if (!made.is_integer() || made.by || made.data->type == onnx::element_type::int64) {
      place.refuse("its input is neither int8, uint8 nor int32");
    }
    made.by = scaling_at(*this, place, 1, 2, axis_of(place, 1, made.dims().size()));
    require_scaling_fits(place, made);
    if (!place.input(2).empty()) require_same_type(place, at(place, 2).data->type, made.data->type);
    all_[place.output()] = std::move(made);
  } else {
    place.refuse("computes with constants alone; have the exporter fold constants");
  }
}

// A file may have thousands of nodes, each of which makes a tensor of the largest constant.
std::shared_ptr<onnx::tensor> constant_table::make_tensor(node_place const& place, std::size_t size) {
  made_ += size;
  if (made_ > onnx::most_numbers) place.refuse("the model's constants are too large");
  return std::make_shared<onnx::tensor>();
}

constant constant_table::transposed(node_place const& place, constant const& of) {
  if (of.dims().size() != 2) place.refuse("only a matrix is transposed");
  if (auto const* const order = place.node().find("perm");
      order != nullptr && order->integers != std::vector<std::int64_t>{1, 0}) {
    if (order->integers == std::vector<std::int64_t>{0, 1}) return of;
    place.refuse("its 'perm' is no order of two dimensions");
  }
  auto made = make_tensor(place, of.size());
  made->type = of.data->type;
  made->dims = {of.dims()[1], of.dims()[0]};
  auto const rows = static_cast<std::size_t>(of.dims()[0]);
  auto const columns = static_cast<std::size_t>(of.dims()[1]);
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t row = 0; row < rows; ++row) {
      if (of.is_integer()) made->integers.push_back(of.data->integers[row * columns + column]);
      if (!of.is_integer()) made->floats.push_back(of.data->floats[row * columns + column]);
    }
  }
  constant result{.data = std::move(made), .by = of.by};
  if (result.by) result.by->axis = 1 - std::min<std::size_t>(result.by->axis, 1);
  return result;
}

// Weights that a file has as floats with the scaling beside them. The rule is QuantizeLinear's: half to even.
constant constant_table::quantised(node_place const& place) {
  auto const& of = at(place, 0);
  if (of.is_integer()) place.refuse("its input is not of floats");
  constant scales{.data = of.data, .by = scaling_at(*this, place, 1, 2, axis_of(place, 1, of.dims().size()))};
  require_scaling_fits(place, scales);
  auto made = make_tensor(place, of.size());
  made->type = quantised_type(*this, place);
  made->dims = of.dims();
  auto const least = made->type == onnx::element_type::int8 ? -128.0F : 0.0F;
  for (std::size_t i = 0; i < of.size(); ++i) {
    auto const at = scales.scale_index(i);
    auto const steps = std::nearbyint(of.data->floats[i] / static_cast<float>(scales.by->scales[at]));
    auto const value = steps + static_cast<float>(scales.by->zero_points[at]);
    if (std::isnan(value)) place.refuse("a weight is no number");
    made->integers.push_back(static_cast<std::int64_t>(std::clamp(value, least, least + 255.0F)));
  }
  return {.data = std::move(made), .by = {}};
}

onnx::element_type quantised_type(constant_table const& constants, node_place const& place) {
  using enum onnx::element_type;
  auto const named = static_cast<onnx::element_type>(place.integer("output_dtype", 0));
  auto const has_zero_point = !place.input(2).empty();
  auto const type = has_zero_point ? constants.at(place, 2).data->type : named == undefined ? uint8 : named;
  if (type != int8 && type != uint8) {
    place.refuse(fmt::format("its values are {}; allowed are int8 and uint8", onnx::name_of(type)));
  }
  if (has_zero_point && named != undefined && named != type) {
    place.refuse(fmt::format("its zero point is {}, but its output_dtype is {}; both have to be the same",
                             onnx::name_of(type), onnx::name_of(named)));
  }
  return type;
}

scaling scaling_at(constant_table const& constants, node_place const& place, std::size_t scale_input,
                   std::size_t zero_point_input, std::size_t axis) {
  if (place.integer("block_size", 0) != 0) place.refuse("has scales by blocks; allowed are one, and one per output");
  scaling made;
  made.axis = axis;
  auto const& scales = constants.at(place, scale_input);
  if (scales.size() > most_width) place.refuse(fmt::format("has {} scales; allowed are {}", scales.size(), most_width));
  for (std::size_t i = 0; i < scales.size(); ++i) made.scales.push_back(scales.real(i));
  auto const is_scale = [](double scale) { return std::isfinite(scale) && static_cast<float>(scale) > 0; };
  if (!std::all_of(made.scales.begin(), made.scales.end(), is_scale)) place.refuse("a scale is not a positive number");
  made.zero_points.resize(scales.size());
  if (place.input(zero_point_input).empty()) return made;
  auto const& zero_points = constants.at(place, zero_point_input);
  if (!zero_points.is_integer() || zero_points.size() != scales.size()) {
    place.refuse(fmt::format("{} zero points for {} scales", zero_points.size(), scales.size()));
  }
  made.zero_points = zero_points.data->integers;
  for (auto const zero_point : made.zero_points) {
    if (zero_point < -128 || zero_point > 255)
      place.refuse(fmt::format("the zero point {} is neither int8 nor uint8", zero_point));
  }
  return made;
}

}  // namespace packetwarp::model
