// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "model/integer_network.h"

// The evaluation of a dense network with wide layers by blocks of a GPU's threads (wide_tile.h): the sizes of its
// parts.
namespace packetwarp {

inline constexpr unsigned wide_threads = 256;  // of a block
// A block evaluates a tile of rows at a time: the larger one if its shared memory holds it, and if all blocks have one.
inline constexpr unsigned most_wide_rows = 64;
inline constexpr unsigned least_wide_rows = 32;

namespace network_parts {

// The weights pass through shared memory in pieces, a ring of which is being copied ahead.
inline constexpr unsigned piece_outputs = 128;
inline constexpr unsigned piece_inputs = 64;
inline constexpr unsigned pieces = 4;
// 16 bytes more per row of a matrix: the eight rows that a load of matrices reads at a time then lie in different banks
// of shared memory.
inline constexpr unsigned row_gap = 16;
inline constexpr unsigned piece_stride = piece_inputs + row_gap;
inline constexpr std::size_t piece_bytes = std::size_t{piece_outputs} * piece_stride;

// From one row of a layer's inputs to the next one, for a network whose widest inputs have `width` bytes.
[[nodiscard]] HOST_DEVICE constexpr unsigned wide_stride(unsigned width) {
  return (width + piece_inputs - 1) / piece_inputs * piece_inputs + row_gap;
}

}  // namespace network_parts

// The inputs of the layer that has the most, with padding: they bound a block's shared memory.
[[nodiscard]] HOST_DEVICE inline std::uint32_t wide_width_of(model::network_ref network) {
  std::uint32_t most = model::row_bytes;
  for (std::uint32_t n = 0; n < network.header().count; ++n) {
    auto const inputs = network.layer(n).padded_inputs;
    if (inputs > most) most = inputs;
  }
  return most;
}

// Shared memory of a block: the inputs of a layer, its results, and the ring of weights.
[[nodiscard]] HOST_DEVICE constexpr std::size_t wide_bytes(std::uint32_t width, unsigned rows) {
  using namespace network_parts;
  return std::size_t{2} * rows * wide_stride(width) + pieces * piece_bytes;
}

// The width of the widest network that blocks with this much shared memory evaluate; 0: they evaluate none.
[[nodiscard]] constexpr std::uint32_t widest_by_blocks(std::size_t shared_bytes) {
  auto width = model::most_width;
  while (width != 0 && wide_bytes(width, least_wide_rows) > shared_bytes) width -= model::input_multiple;
  return width;
}

}  // namespace packetwarp
