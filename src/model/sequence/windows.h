// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/node_place.h"
#include "model/sequence/row_shape.h"

namespace packetwarp::model {

// A sequence: `positions` of `channels` values each, in the shape {channels, positions}. Exporters of Keras write it as
// an image with one line or column, {channels, 1, positions} or {channels, positions, 1}.
struct sequence {
  std::uint32_t channels{};
  std::uint32_t positions{};
  std::size_t dimensions{};  // beside the channels: 1 or 2
  std::size_t along{};       // the one of the positions
};

// The sequence of a shape. Refuses the node for another shape: none, or an image of several lines and columns.
[[nodiscard]] sequence sequence_of(node_place const& place, row_shape const& shape);
// The shape of a sequence with other numbers of channels and positions.
[[nodiscard]] row_shape shape_of(sequence const& like, std::uint32_t channels, std::uint32_t positions);

// The windows of a convolution or pool: window n has the positions from n x stride - padding on, `width` of them. Some
// are outside of the sequence.
struct windows {
  std::uint32_t width{};
  std::uint32_t stride{1};
  std::uint32_t padding{};
  std::uint32_t count{};
};

// The width of a node's windows along the sequence: kernel_shape, or `otherwise` if that is left out.
[[nodiscard]] std::uint32_t kernel_width_of(node_place const& place, sequence const& of, std::uint32_t otherwise);
// The windows by a node's strides, pads and auto_pad. Refuses dilations, groups, ceil_mode, and numbers that make no
// window.
[[nodiscard]] windows windows_of(node_place const& place, sequence const& of, std::uint32_t width);

// The positions of a window that are within the sequence.
struct position_range {
  std::uint32_t begin{};
  std::uint32_t end{};
  std::uint32_t first_tap{};  // the place of `begin` in the window
};
[[nodiscard]] position_range range_of(windows const& all, std::uint32_t number, std::uint32_t positions);

}  // namespace packetwarp::model
