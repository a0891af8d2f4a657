// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace packetwarp {

// The longest chain of a port that sends packets of several mbufs, however long.
inline constexpr auto any_length = std::numeric_limits<std::uint32_t>::max();
inline constexpr auto any_segments = std::numeric_limits<std::uint16_t>::max();

// The packets of several mbufs that a port sends whole: of this many bytes (0: none) and this many mbufs at most.
struct chain_limit {
  std::uint32_t bytes{};
  std::uint16_t segments{any_segments};
  bool operator==(chain_limit const&) const = default;
};

}  // namespace packetwarp
