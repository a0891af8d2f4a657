// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/network/bounds.h"

#include "function/network/room.h"
#include "function/network/wide_layout.h"

namespace packetwarp {

std::optional<std::string> why_not_by_group(model::network_ref network, group_kind kind) {
  auto const& header = network.header();
  if (header.outputs > most_scores_by_group) {
    return "has " + std::to_string(header.outputs) + " scores per packet: " + std::to_string(most_scores_by_group) +
           " at most";
  }
  if (kind == group_kind::lone_lane || header.kind == model::network_kind::trees) return std::nullopt;
  for (std::uint32_t n = 0; n < header.count; ++n) {
    auto const outputs = network.layer(n).outputs;
    if (outputs <= most_width_by_warp) continue;
    return "has " + std::to_string(outputs) + " outputs in layer " + std::to_string(n + 1) + " of " +
           std::to_string(header.count) + ": " + std::to_string(most_width_by_warp) + " at most on a GPU";
  }
  return std::nullopt;
}

std::optional<std::string> why_not_by_blocks(model::network_ref network, std::size_t shared_bytes) {
  if (auto why = why_not_by_group(network, group_kind::lone_lane)) return why;
  if (network.header().kind == model::network_kind::trees) return "is made of trees: on a GPU it is a dense network";
  if (shared_bytes == 0) return std::nullopt;
  auto const width = wide_width_of(network);
  auto const most = widest_by_blocks(shared_bytes);
  if (width <= most) return std::nullopt;
  return "has a layer of " + std::to_string(width) + " inputs: " + std::to_string(most) + " at most on a GPU with " +
         std::to_string(shared_bytes >> 10) + " KiB of shared memory for a block";
}

}  // namespace packetwarp
