// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/command_lines.h"
#include "bench/matrix.h"
#include "bench/results/results.h"
#include "bench/search.h"

namespace packetwarp::bench {

// The options of the search for the throughput of RFC 2544.
struct throughput_options {
  double partial_drop_percent{0.5};  // tolerated for the partial-drop rate
  std::chrono::nanoseconds trial{std::chrono::seconds{2}};
  double resolution_percent{0.5};  // of the line
  std::optional<rate> line{};      // nothing: the rate of the case at full speed
};

// The rates of one case, and every trial that led to them.
struct throughput_case {
  parameters what{};
  case_status status{case_status::pending};
  std::string reason{};
  std::optional<double> line_mpps{};
  std::vector<trial> trials{};
  std::optional<found_rate> no_drop{}, partial_drop{};
};

struct throughput_results {
  std::string version{}, commit{}, started{}, command{};
  std::vector<std::string> eal{};
  std::vector<unsigned> cpus{};
  nlohmann::ordered_json host{};
  throughput_options how{};
  std::vector<std::string> notices{};
  std::vector<throughput_case> cases{};
};

// The cases of the matrix, each with an lcore for the generator; the offered rates of the matrix are ignored.
[[nodiscard]] std::vector<throughput_case> throughput_cases(matrix what, std::uint32_t lcores);

// Searches all cases, one after the other; one line per trial goes to standard error. after_each is called after each
// case. False if it was stopped.
[[nodiscard]] bool measure_throughput(throughput_results& all, run_setup const& setup,
                                      std::function<void()> const& after_each);

// The outcome of one run of the generator at a rate, from its report. Throws failure for a text that is no report, and
// for packets whose content changed on the way. Pure.
[[nodiscard]] trial trial_from(std::string const& report, double offered_mpps, double seconds);

// Throws failure if no case has a rate, with the first reason.
void require_figures(throughput_results const& all);

[[nodiscard]] std::string to_text(throughput_results const& all);
[[nodiscard]] std::string to_json(throughput_results const& all);
// CSV with a line per trial.
[[nodiscard]] std::string to_csv(throughput_results const& all);

}  // namespace packetwarp::bench
