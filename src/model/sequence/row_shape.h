// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/node_place.h"

namespace packetwarp::model {

// The dimensions of the values of a row; a file has the dimension of the rows before them. The values lie one after the
// other as in an array of C: {channels, positions} has all positions of a channel side by side. No dimension is 0, and
// their product is at most most_width.
using row_shape = std::vector<std::uint32_t>;

[[nodiscard]] std::uint32_t values_of(row_shape const& shape);
// "[N, 4, 16]", for error lines.
[[nodiscard]] std::string text_of(row_shape const& shape);

// The shapes that ONNX's operations make of one, by their attributes and constants, which count the dimension of the
// rows as the first one. They refuse the node if it would change that dimension, or the number of values.
[[nodiscard]] row_shape reshaped(node_place const& place, row_shape const& from, std::span<std::int64_t const> to);
[[nodiscard]] row_shape unsqueezed(node_place const& place, row_shape const& from, std::span<std::int64_t const> axes);
// Without axes all dimensions of 1 go.
[[nodiscard]] row_shape squeezed(node_place const& place, row_shape from, std::span<std::int64_t const> axes);

struct transposition {
  row_shape shape{};
  std::vector<std::uint32_t> order{};  // for each new value, the number of the old one
};
[[nodiscard]] transposition transposed(node_place const& place, row_shape const& from,
                                       std::span<std::int64_t const> order);

// The number of a dimension, which may count from the end, among `dimensions` of them with that of the rows. Refuses
// numbers beyond them, and the rows' one, 0.
[[nodiscard]] std::size_t axis_in(node_place const& place, std::int64_t axis, std::size_t dimensions);

}  // namespace packetwarp::model
