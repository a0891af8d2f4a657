// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace packetwarp::test {

inline constexpr std::size_t shortest_frame = 14;  // an Ethernet header

// The expected change of `forward` to a frame, byte by byte.
inline void swap_macs(std::byte* frame, std::size_t length) {
  if (length < shortest_frame) return;
  for (std::size_t i = 0; i < 6; ++i) std::swap(frame[i], frame[i + 6]);
}

// Bytes of which no two within a frame's header are the same, and which differ from frame to frame.
inline std::vector<std::byte> numbered_bytes(std::size_t length, std::size_t seed) {
  std::vector<std::byte> made(length);
  for (std::size_t i = 0; i < length; ++i) made[i] = static_cast<std::byte>(i * 37 + seed * 11 + (i >> 8));
  return made;
}

}  // namespace packetwarp::test
