// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/network/bounds.h"

#include "function/network/room.h"

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

}  // namespace packetwarp
