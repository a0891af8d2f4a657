// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "base/unroll.h"
#include "inspect/match/groups.h"
#include "inspect/match/inspected_packet.h"

namespace packetwarp::inspection_parts {

// The intervals that a packet's numbers lie in, one per axis, found by one lane. The binary searches of the axes go
// side by side, so that a lane waits for the reads of a step once.
class interval_search {
 public:
  HOST_DEVICE interval_search(inspect::ruleset_ref rules, inspect::inspected_packet const& packet) {
    std::uint32_t const numbers[axes] = {static_cast<std::uint32_t>(packet.source.low),
                                         static_cast<std::uint32_t>(packet.destination.low), packet.source_port,
                                         packet.destination_port};
    std::uint32_t const* begins[axes];
    std::uint32_t left[axes];
    UNROLLED
    for (std::uint32_t axis = 0; axis < axes; ++axis) {
      auto const& intervals = rules.header().groups.axes[axis].begins;
      begins[axis] = rules.at<std::uint32_t>(intervals);
      left[axis] = intervals.count;
    }
    while (left[0] > 1 || left[1] > 1 || left[2] > 1 || left[3] > 1) {
      UNROLLED
      for (std::uint32_t axis = 0; axis < axes; ++axis) {
        // The first of the begins that are left is never above the number.
        auto const half = left[axis] / 2;
        bool const has_begun = half != 0 && begins[axis][found_[axis] + half] <= numbers[axis];
        found_[axis] += has_begun ? half : 0;
        left[axis] = has_begun || half == 0 ? left[axis] - half : half;
      }
    }
  }

  [[nodiscard]] HOST_DEVICE std::uint32_t operator[](std::uint32_t axis) const { return found_[axis]; }

 private:
  static constexpr auto axes = inspect::group_axes;
  static_assert(axes == 4);

  std::uint32_t found_[axes]{};
};

}  // namespace packetwarp::inspection_parts
