// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "bench/results/results.h"

namespace packetwarp::bench {
namespace {

// A cell is quoted if it holds a comma, a quote or a line end (RFC 4180); lines end with a line feed.
std::string csv_cell(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted{'"'};
  for (char const c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string csv_cell(std::optional<double> value) { return value ? fmt::format("{}", *value) : std::string{}; }

void add_spread(std::vector<std::string>& to, std::optional<spread> const& over) {
  for (auto const value : {&spread::median, &spread::min, &spread::max}) {
    to.push_back(over ? fmt::format("{}", *over.*value) : std::string{});
  }
}

}  // namespace

std::string to_csv(results const& all) {
  std::string text{
      "function,executor,placement,burst,frame_bytes,pipelines,lcores,packet_time_ns,workers,offered_mpps,status,"
      "reason,"
      "runs,mpps_median,mpps_min,mpps_max,gbps_l1_median,gbps_l1_min,gbps_l1_max,gbps_l2_median,gbps_l2_min,gbps_l2_"
      "max,"
      "latency_us_p50,latency_us_p99,latency_us_p999,beside_none,beside_cpu,beside_testpmd_io,beside_testpmd_"
      "macswap\n"};
  for (auto const& one : all.cases) {
    auto const& what = one.what;
    std::vector<std::string> cells{csv_cell(what.function),
                                   std::string{to_string(what.executor)},
                                   std::string{to_string(what.where)},
                                   std::to_string(what.burst),
                                   std::to_string(what.frame_bytes),
                                   std::to_string(what.pipelines),
                                   std::to_string(what.lcores),
                                   std::to_string(what.packet_time.count()),
                                   std::string{to_string(what.workers)},
                                   csv_cell(what.offered_mpps),
                                   std::string{to_string(one.status)},
                                   csv_cell(one.reason),
                                   std::to_string(one.has_figures() ? one.runs.size() : 0)};
    for (auto const figure : {&figures::mpps, &figures::gbps_l1, &figures::gbps_l2}) {
      add_spread(cells, one.spread_over(figure));
    }
    auto const latency = median_latency(one);
    using telemetry::latency_percentiles;
    for (auto const p : {&latency_percentiles::p50, &latency_percentiles::p99, &latency_percentiles::p999}) {
      cells.push_back(latency ? fmt::format("{}", *latency.*p) : std::string{});
    }
    auto const others = figures_beside(all, one);
    for (auto const value : {others.none, others.cpu, others.testpmd_io, others.testpmd_macswap}) {
      cells.push_back(csv_cell(value));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) text.append(i == 0 ? "" : ",").append(cells[i]);
    text += '\n';
  }
  return text;
}

}  // namespace packetwarp::bench
