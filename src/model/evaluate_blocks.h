// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "model/integer_network.h"

namespace packetwarp::model {

// Dense networks by blocks of rows, side by side: a lane of a vector register has a row's sum, and a weight is the same
// for all lanes. So a layer's results are the next layer's inputs as they are, without a sum across lanes. The inputs
// of a block lie in groups of four: [input / 4][row][input % 4].
inline constexpr std::uint32_t block_rows = 16;
inline constexpr std::uint32_t group_inputs = 4;
inline constexpr std::uint32_t group_bytes = block_rows * group_inputs;

// On processors with these instructions. rows: block_rows of them; scores: the network's outputs per row.
void evaluate_block_avx2(network_ref network, std::int8_t const* rows, std::int32_t* scores);
void evaluate_block_vnni(network_ref network, std::int8_t const* rows, std::int32_t* scores);
// The same for twice as many rows.
void evaluate_two_blocks_vnni(network_ref network, std::int8_t const* rows, std::int32_t* scores);

// The first `used` inputs of a block's rows, each byte by the network's table.
inline void read_by_table(network_ref network, std::uint32_t used, std::uint8_t* groups) {
  auto const table = network.header().input_table;
  if (table == 0) return;
  auto const* const by = network.at<std::uint8_t>(table);
  for (std::uint32_t i = 0; i < block_rows * used; ++i) groups[i] = by[groups[i]];
}

// Four weights of an output, for the inputs of a group.
[[nodiscard]] inline std::int32_t four_weights(std::int8_t const* weights) {
  std::int32_t four = 0;
  std::memcpy(&four, weights, sizeof four);
  return four;
}

}  // namespace packetwarp::model
