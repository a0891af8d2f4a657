// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "bench/results/results.h"

namespace packetwarp::bench::test {

// A case that was run to its end and reached these rates.
[[nodiscard]] inline bench_case measured_case(parameters what, std::vector<double> mpps) {
  bench_case one{.what = std::move(what), .command = "packetwarp l2fwd", .runs = {}, .status = case_status::ok};
  for (double const rate : mpps) one.runs.push_back({.mpps = rate, .gbps_l1 = rate * 0.672, .gbps_l2 = rate * 0.512});
  return one;
}

[[nodiscard]] inline results results_of(std::vector<bench_case> cases) {
  results all{.version = "1.2.3", .commit = "abc", .started = "then", .command = "packetwarp bench"};
  all.host = {{"cpu_model", "a CPU"}, {"cpus", 4}};
  all.seconds = 2;
  all.repeats = 3;
  all.cases = std::move(cases);
  return all;
}

}  // namespace packetwarp::bench::test
