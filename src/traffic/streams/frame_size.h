// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace packetwarp::traffic {

// A frame's size as RFC 2544 and TRex count it: on the wire, with the 4 bytes of the frame check sequence that the
// NIC appends and strips. A "64 B" frame is 60 bytes in a packet buffer.
class frame_size {
 public:
  static constexpr std::uint16_t check_sequence = 4;
  static constexpr std::uint16_t smallest = 64;
  static constexpr std::uint16_t largest = 9600;  // jumbo frames as most NICs take them

  constexpr explicit frame_size(std::uint16_t on_wire) : on_wire_{on_wire} {}

  [[nodiscard]] constexpr std::uint16_t on_wire() const { return on_wire_; }
  [[nodiscard]] constexpr std::uint16_t in_memory() const {
    return static_cast<std::uint16_t>(on_wire_ - check_sequence);
  }
  constexpr auto operator<=>(frame_size const&) const = default;

 private:
  std::uint16_t on_wire_;
};

// The sizes at which RFC 2544 (9.1) tests Ethernet.
inline constexpr std::array rfc2544_sizes{frame_size{64},   frame_size{128},  frame_size{256}, frame_size{512},
                                          frame_size{1024}, frame_size{1280}, frame_size{1518}};

}  // namespace packetwarp::traffic
