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

latency_distribution distribution_of(histogram_snapshot const& cycles, double cycles_per_second) {
  latency_distribution made;
  if (!(cycles_per_second > 0)) return made;
  for (std::size_t i = 0; i < made.bounds.size(); ++i) {
    made.at_most[i] = cycles.count_at_most(static_cast<std::uint64_t>(made.bounds[i] * cycles_per_second));
  }
  made.packets = cycles.count();
  made.seconds = cycles.mean() * static_cast<double>(made.packets) / cycles_per_second;
  return made;
}

namespace {

[[nodiscard]] std::optional<double> quotient(std::uint64_t of, std::uint64_t by) {
  if (by == 0) return std::nullopt;
  return static_cast<double>(of) / static_cast<double>(by);
}

}  // namespace

std::optional<double> stage_report::cycles_per_packet() const { return quotient(cycles, packets); }
std::optional<double> stage_report::packets_per_call() const { return quotient(packets, calls); }

}  // namespace packetwarp::telemetry
