// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/constants.h"
#include "model/dense_chain.h"
#include "model/node_place.h"
#include "model/sequence/row_shape.h"

namespace packetwarp::model {

// The order of a matrix' dimensions.
enum class matrix_order : std::uint8_t { inputs_first, outputs_first };

// A constant as the matrix of a layer. Refuses the node: no matrix, too wide, not quantised, or not symmetric.
[[nodiscard]] weight_matrix weights_of(node_place const& place, constant const& from, matrix_order order);

// The parts of it: refuses weights that are not quantised, and the weight by its number in the constant.
void require_quantised(node_place const& place, constant const& from);
[[nodiscard]] std::int8_t weight_of(node_place const& place, constant const& from, std::size_t index);

// A constant as the numbers of values of a shape, by the rule of all operations with two operands: dimensions of 1, and
// missing first ones, are repeated. A single number stands for all.
[[nodiscard]] std::vector<double> numbers_for(node_place const& place, constant const& from, row_shape const& shape);

// A constant as the numbers of `outputs` outputs: a single one for all, or one for each. Refuses others.
[[nodiscard]] std::vector<double> numbers_of(node_place const& place, constant const& from, std::uint32_t outputs);

// The meaning of activations by the scale and zero point that a node has as these inputs; without a zero point they are
// of the type `otherwise`.
[[nodiscard]] activation activation_at(constant_table const& constants, node_place const& place,
                                       std::size_t scale_input, std::size_t zero_point_input,
                                       onnx::element_type otherwise);

}  // namespace packetwarp::model
