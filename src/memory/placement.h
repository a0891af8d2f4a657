// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace packetwarp {

// The place of packet bytes. The numbers of the first two are l2fwd-nv's -m.
enum class placement : std::uint8_t {
  host = 0,    // host memory, pinned if a GPU reads it
  device = 1,  // GPU memory
  split = 2    // header in host memory, payload in GPU memory
};

[[nodiscard]] constexpr std::string_view to_string(placement where) {
  switch (where) {
    case placement::host:
      return "host";
    case placement::device:
      return "device";
    case placement::split:
      return "split";
  }
  return "unknown";
}

// The way of packets to their placement.
enum class packet_route : std::uint8_t {
  direct,  // the ports write them there
  staged   // the ports know host memory only: the GPU copies packets in, works on them, and copies them back
};

// The header's part of a packet in split placement, as in l2fwd-nv: an Ethernet frame's minimum, without FCS.
inline constexpr std::uint32_t split_header_bytes = 60;

}  // namespace packetwarp
