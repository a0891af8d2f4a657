// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "model/integer_network.h"

namespace packetwarp {

enum class group_kind : std::uint8_t { lone_lane, warp };

// The reason why such a group cannot evaluate the network (evaluate.h), for an error line after the model's name: "has
// 12 scores per packet: 8 at most". Empty if it can; a lone lane then can evaluate every network that a warp can.
[[nodiscard]] std::optional<std::string> why_not_by_group(model::network_ref network, group_kind kind);
// The same of a GPU's blocks, for the rows that they are given (wide_tile.h). shared_bytes: of a block's memory; 0 if
// it is not known.
[[nodiscard]] std::optional<std::string> why_not_by_blocks(model::network_ref network, std::size_t shared_bytes);

}  // namespace packetwarp
