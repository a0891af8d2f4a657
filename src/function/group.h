// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp {

// The most packets of a group that a stage works on together: one per lane of a warp.
inline constexpr unsigned joint_packets = 32;

// A group is the set of lanes that work together on the packets of one room (function.h, has_joint_work): a warp's
// lanes on a GPU (executor/gpu/joint/warp_group.cuh), on a CPU a single lane, which is this type. Code for a group is
// written once:
//
//   packets()   the number of packets that have gathered, joint_packets at most, and with several lanes no more than
//               these; packets are numbered from 0. 0: the group only goes in step with those beside it
//   lanes()     the number of lanes that run the code side by side, and lane(), the number of this lane
//   sync()      after it, all lanes see the writes that each lane made to the room before it
//   sum(value)  the sum of all lanes' values, in each lane
//   meet()      waits for the groups beside this one, if it goes in step with them (function.h, goes_in_step)
//
// All lanes call sync(), sum() and meet() equally often.
class lone_lane {
 public:
  explicit constexpr lone_lane(unsigned packets) : packets_{packets} {}

  [[nodiscard]] constexpr unsigned packets() const { return packets_; }
  [[nodiscard]] static constexpr unsigned lanes() { return 1; }
  [[nodiscard]] static constexpr unsigned lane() { return 0; }
  static constexpr void sync() {}
  static constexpr void meet() {}
  [[nodiscard]] static constexpr std::uint32_t sum(std::uint32_t value) { return value; }

 private:
  unsigned packets_;
};

}  // namespace packetwarp
