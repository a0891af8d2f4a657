// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "bench/matrix.h"
#include "bench/statistics.h"
#include "telemetry/run_report.h"

namespace packetwarp::bench {

// The state of a case. A failed or unsupported one has a reason and is never shown as a figure.
enum class case_status : std::uint8_t { pending, ok, failed, unsupported };
[[nodiscard]] std::string_view to_string(case_status status);

// The figures of one run.
struct figures {
  double mpps{};
  double gbps_l1{};
  double gbps_l2{};
  std::optional<telemetry::latency_percentiles> latency_us{};
};

// A configuration that is run several times: a case, or the testpmd run beside it.
template <class Parameters>
struct measured {
  Parameters what{};
  std::string command{};
  std::vector<figures> runs{};
  case_status status{case_status::pending};
  std::string reason{};

  [[nodiscard]] bool has_figures() const {
    return !runs.empty() && (status == case_status::ok || status == case_status::pending);
  }
  // The spread of one figure over the runs.
  [[nodiscard]] std::optional<spread> spread_over(double figures::*figure) const {
    std::vector<double> values;
    if (has_figures()) {
      for (auto const& run : runs) values.push_back(run.*figure);
    }
    return spread_of(std::move(values));
  }
};
using bench_case = measured<parameters>;
using peer = measured<peer_parameters>;

// The medians over the runs that have a latency.
[[nodiscard]] std::optional<telemetry::latency_percentiles> median_latency(bench_case const& of);

inline constexpr unsigned most_repeats = 1000;

// All that was requested and measured so far: --json writes it, and --resume continues it.
struct results {
  std::string version{};
  std::string commit{};
  std::string started{};
  std::string command{};
  std::vector<std::string> eal{};  // options given to every run
  std::vector<unsigned> cpus{};    // the CPUs that its lcores are taken from
  nlohmann::ordered_json host{};
  double seconds{};
  unsigned repeats{};
  std::vector<std::string> notices{};
  std::vector<bench_case> cases{};
  std::vector<peer> peers{};
};
// Throws failure if no case has a figure, with the first reason: a bench that measured nothing has failed.
void require_figures(results const& all);
void add_notice(results& to, std::string const& notice);

// The medians in Mpps of the results under the conditions of a case; nothing for a case that was not run.
struct beside {
  std::optional<double> none{}, cpu{}, testpmd_io{}, testpmd_macswap{};
};
[[nodiscard]] beside figures_beside(results const& all, bench_case const& one);

[[nodiscard]] std::string to_json(results const& all);
// Throws usage_error for a file that cannot be opened, and failure with a line that names it for a file that holds no
// results of this kind.
[[nodiscard]] results read_results(std::string const& path);

// Why the figures of `then` cannot stand among those of `now`, in a few words; empty if they can. The host of `now` has
// all GPUs of the machine, that of `then` the GPUs that were used.
[[nodiscard]] std::string difference(results const& then, results const& now);

[[nodiscard]] std::string to_csv(results const& all);
// For people: a row per case, then testpmd, then the cases that could not be measured and why.
[[nodiscard]] std::string to_text(results const& all);

}  // namespace packetwarp::bench
