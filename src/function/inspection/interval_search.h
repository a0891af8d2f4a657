// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/network/unroll.h"
#include "inspect/match/groups.h"
#include "inspect/match/inspected_packet.h"

namespace packetwarp::inspection_parts {

// The intervals that a packet's numbers lie in, one per axis, found by all lanes of a group. At each step the lanes
// look at begins that lie evenly apart among those that are left, one begin of each axis per lane: 32 lanes need three
// steps for 32,768 intervals. The steps of the axes go side by side, so a warp waits for three loads in all.
class interval_search {
 public:
  HOST_DEVICE interval_search(auto const& group, inspect::ruleset_ref rules, inspect::inspected_packet const& packet) {
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
      std::uint32_t begun = 0;  // a byte per axis: a group has fewer than 256 lanes
      UNROLLED
      for (std::uint32_t axis = 0; axis < axes; ++axis) {
        auto const at = group.lane() * apart(group, left[axis]);
        bool const has_begun = at < left[axis] && begins[axis][found_[axis] + at] <= numbers[axis];
        begun |= (has_begun ? 1U : 0U) << (8 * axis);
      }
      begun = group.sum(begun);
      UNROLLED
      for (std::uint32_t axis = 0; axis < axes; ++axis) {
        // The first of the begins that are left is never above the number.
        auto const step = apart(group, left[axis]);
        auto const skipped = ((begun >> (8 * axis) & 0xff) - 1) * step;
        found_[axis] += skipped;
        left[axis] = left[axis] - skipped < step ? left[axis] - skipped : step;
      }
    }
  }

  [[nodiscard]] HOST_DEVICE std::uint32_t operator[](std::uint32_t axis) const { return found_[axis]; }

 private:
  static constexpr auto axes = inspect::group_axes;
  static_assert(axes == 4);

  [[nodiscard]] HOST_DEVICE static std::uint32_t apart(auto const& group, std::uint32_t count) {
    return (count + group.lanes() - 1) / group.lanes();
  }

  std::uint32_t found_[axes]{};
};

}  // namespace packetwarp::inspection_parts
