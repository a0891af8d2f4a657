// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace packetwarp {

class frame_limit;

// The longest chain of a port that sends packets of several mbufs, however long.
inline constexpr auto any_length = std::numeric_limits<std::uint32_t>::max();
inline constexpr auto any_segments = std::numeric_limits<std::uint16_t>::max();

// The packets that a port sends whole.
struct chain_limit {
  // Packets of several mbufs have this many bytes (0: none) and this many mbufs at most.
  std::uint32_t bytes{};
  std::uint16_t segments{any_segments};
  // Packets of one mbuf have this many bytes at most.
  std::uint32_t single{any_length};
  // The frames that the port's kernel interface takes; null: any. It belongs to the port.
  frame_limit const* frames{};
  bool operator==(chain_limit const&) const = default;
};

}  // namespace packetwarp
