// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp {

// Packets of a group that a stage works on together, at most: one for each lane of a warp.
inline constexpr unsigned joint_packets = 32;

// A group is who works together on the packets of one room (function.h, has_joint_work): a warp's lanes on a GPU
// (executor/gpu/joint/warp_group.cuh), on a CPU a single lane, which is this type. Code for a group is written once:
//
//   packets()   packets that have gathered, 1 to joint_packets; they have the numbers from 0 on
//   lanes()     lanes that run the code side by side, and lane(), the number of this one
//   sync()      what each lane has written to the room before it, all lanes see after it
//   sum(value)  the sum of all lanes' values, in each of them
//
// All lanes call sync() and sum(), equally often.
class lone_lane {
 public:
  explicit constexpr lone_lane(unsigned packets) : packets_{packets} {}

  [[nodiscard]] constexpr unsigned packets() const { return packets_; }
  [[nodiscard]] static constexpr unsigned lanes() { return 1; }
  [[nodiscard]] static constexpr unsigned lane() { return 0; }
  static constexpr void sync() {}
  [[nodiscard]] static constexpr std::uint32_t sum(std::uint32_t value) { return value; }

 private:
  unsigned packets_;
};

}  // namespace packetwarp
