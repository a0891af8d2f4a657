// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node_place.h"
#include "model/onnx/onnx_file.h"

namespace packetwarp::model {

// The meaning of integers: real = (integer - zero point) x scale. A single pair holds for all values, or a pair for
// each index of `axis`.
struct scaling {
  std::vector<double> scales{};
  std::vector<std::int64_t> zero_points{};
  std::size_t axis{};
};

// A value that does not depend on a row: a tensor of the file, or made of such.
struct constant {
  std::shared_ptr<onnx::tensor const> data{};
  std::optional<scaling> by{};  // after a DequantizeLinear

  [[nodiscard]] std::vector<std::int64_t> const& dims() const { return data->dims; }
  [[nodiscard]] std::size_t size() const { return data->size(); }
  [[nodiscard]] bool is_integer() const { return data->floats.empty(); }
  // The number that a value stands for.
  [[nodiscard]] double real(std::size_t index) const;
  // The pair that holds for a value.
  [[nodiscard]] std::size_t scale_index(std::size_t index) const;
};

// All values of a graph that do not depend on a row, by name.
class constant_table {
 public:
  explicit constant_table(onnx::file const& file);

  [[nodiscard]] constant const* find(std::string_view name) const;
  // The constant that a node has as this input. Refuses the node if there is none.
  [[nodiscard]] constant const& at(node_place const& place, std::size_t input) const;
  // A positive number, and an integer; of an input that is a single one.
  [[nodiscard]] double scale_at(node_place const& place, std::size_t input) const;

  // Takes up the output of a node whose inputs are constants. False: the node has another input.
  [[nodiscard]] bool take(node_place const& place);

 private:
  void make(node_place const& place);
  [[nodiscard]] constant transposed(node_place const& place, constant const& of);
  [[nodiscard]] constant quantised(node_place const& place);
  [[nodiscard]] std::shared_ptr<onnx::tensor> make_tensor(node_place const& place, std::size_t size);

  std::map<std::string, constant, std::less<>> all_;
  std::size_t made_{};  // numbers of tensors made here
};

// A QuantizeLinear's result has the type of the zero point, or without one the type that output_dtype names, or uint8
// (ONNX, QuantizeLinear). The function refuses the node if this is neither int8 nor uint8, or if both differ.
[[nodiscard]] onnx::element_type quantised_type(constant_table const& constants, node_place const& place);

// The scaling by the scale and zero point that a node has as these inputs; without the second the zero points are 0.
// The axis counts only if there are several scales. Refuses scales that are not positive numbers.
[[nodiscard]] scaling scaling_at(constant_table const& constants, node_place const& place, std::size_t scale_input,
                                 std::size_t zero_point_input, std::size_t axis);

}  // namespace packetwarp::model
