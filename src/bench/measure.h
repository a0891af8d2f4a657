// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/command_lines.h"
#include "bench/results/results.h"
#include "bench/run_case.h"

namespace packetwarp::bench {

// The next run: of a case, or of testpmd.
struct step {
  enum class kind : std::uint8_t { own, testpmd };
  kind of{kind::own};
  std::size_t index{};  // among the cases, or the peers
  friend bool operator==(step const&, step const&) = default;
};

// The remaining runs, in this order: every case once, then all of them again, so that disturbances of the machine
// affect all alike; testpmd runs just before the case that it is compared with. Pure.
[[nodiscard]] std::vector<step> missing_steps(results const& all);

// The duration of these runs, in seconds. overhead: the time that a run takes beyond the measurement. Pure.
[[nodiscard]] double seconds_of(std::vector<step> const& steps, results const& all, double overhead);
inline constexpr double usual_overhead = 0.7;
// "45 s", "12 min", "1 h 5 min".
[[nodiscard]] std::string describe_seconds(double seconds);

// Adds the outcome of a run. Pure.
void add_attempt(results& to, step const& of, attempt const& made);

// Makes cases with the status failed or unsupported pending again. Pure.
void make_pending(results& all);

// Runs the remaining steps, with one line per run on standard error; after_each is called after each. False if it was
// asked to stop before the end.
[[nodiscard]] bool measure(results& all, run_setup const& setup, std::function<void()> const& after_each);

}  // namespace packetwarp::bench
