// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/interpolate.h"

#include <fmt/format.h>

#include <map>

#include "base/units.h"

namespace packetwarp::bench {
namespace {

// A rate whose time per packet lies between the times of two others.
double rate_between(double low, double high, double share) {
  if (low <= 0 || high <= 0) return 0;
  return 1 / (1 / low + (1 / high - 1 / low) * share);
}

struct bracketed {
  double low;
  double high;
  spread mpps;
};

// The figure at `x` along one axis, or between its neighbours; `low` and `high` are `x` itself if it was measured.
std::optional<bracketed> along(std::map<double, spread> const& axis, double x) {
  auto const above = axis.lower_bound(x);
  if (above == axis.end()) return std::nullopt;
  if (above->first == x) return bracketed{x, x, above->second};
  if (above == axis.begin()) return std::nullopt;
  auto const& [low, slow] = *std::prev(above);
  auto const& [high, fast] = *above;
  auto const share = (x - low) / (high - low);
  return bracketed{low, high,
                   spread{rate_between(slow.median, fast.median, share), rate_between(slow.min, fast.min, share),
                          rate_between(slow.max, fast.max, share)}};
}

}  // namespace

std::optional<estimate> interpolate(std::vector<point> const& points, std::uint32_t frame_bytes,
                                    std::chrono::nanoseconds packet_time) {
  std::map<double, std::map<double, spread>> sizes_by_work;
  for (auto const& p : points) {
    sizes_by_work[static_cast<double>(p.packet_time.count())][p.frame_bytes] = p.mpps;
  }
  std::map<double, spread> by_work;
  std::map<double, bracketed> by_size;
  for (auto const& [work, sizes] : sizes_by_work) {
    auto const found = along(sizes, frame_bytes);
    if (!found) continue;
    by_work.emplace(work, found->mpps);
    by_size.emplace(work, *found);
  }
  auto const found = along(by_work, static_cast<double>(packet_time.count()));
  if (!found) return std::nullopt;
  estimate made{.mpps = found->mpps};
  auto const& size = by_size.at(found->low);
  if (size.low != size.high) made.between = fmt::format("between {} and {} B", size.low, size.high);
  if (found->low != found->high) {
    made.between += fmt::format("{}between {} and {} of work", made.between.empty() ? "" : ", ",
                                format_duration(found->low), format_duration(found->high));
  }
  return made;
}

}  // namespace packetwarp::bench
