// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/run_report.h"

#include <algorithm>
#include <numeric>

namespace packetwarp::telemetry {

void add_drops(drop_counts& to, std::string_view name, std::uint64_t packets) {
  auto const known = std::find_if(to.begin(), to.end(), [&](auto const& drop) { return drop.name == name; });
  if (known != to.end()) {
    known->packets += packets;
  } else {
    to.push_back({std::string{name}, packets});
  }
}

std::uint64_t total(drop_counts const& drops) {
  return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0},
                         [](auto sum, auto const& drop) { return sum + drop.packets; });
}

std::optional<latency_percentiles> in_microseconds(histogram_snapshot const& cycles, double cycles_per_second) {
  if (cycles.is_empty() || !(cycles_per_second > 0)) return std::nullopt;
  auto const at = [&](double percent) {
    return static_cast<double>(cycles.percentile(percent)) * 1e6 / cycles_per_second;
  };
  return latency_percentiles{.p50 = at(50), .p99 = at(99), .p999 = at(99.9)};
}

}  // namespace packetwarp::telemetry
