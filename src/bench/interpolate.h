// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/statistics.h"

namespace packetwarp::bench {

// The figures of one configuration at one size and work.
struct point {
  std::uint32_t frame_bytes{};
  std::chrono::nanoseconds packet_time{};
  spread mpps{};
};

struct estimate {
  spread mpps{};
  std::string between{};  // the neighbouring points; empty if this point was measured
};

// The figure measured at this size and work, or an interpolated one between the nearest points on both sides: by size
// among points of the same work, then by work. Time per packet grows evenly with both, so it is interpolated instead of
// the rate. Nothing beyond the points.
[[nodiscard]] std::optional<estimate> interpolate(std::vector<point> const& points, std::uint32_t frame_bytes,
                                                  std::chrono::nanoseconds packet_time);

}  // namespace packetwarp::bench
