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

// The next thing to run: a case, or testpmd.
struct step {
  enum class kind : std::uint8_t { own, testpmd };
  kind of{kind::own};
  std::size_t index{};  // among the cases, or the peers
  friend bool operator==(step const&, step const&) = default;
};

// The runs that are left, in this order: everything once, then again, so that what disturbs the machine strikes all
// alike; testpmd just before the case it stands beside. Pure.
[[nodiscard]] std::vector<step> missing_steps(results const& all);

// How long that takes, in seconds. overhead: what a run takes beside what it measures. Pure.
[[nodiscard]] double seconds_of(std::vector<step> const& steps, results const& all, double overhead);
inline constexpr double usual_overhead = 0.7;
// "45 s", "12 min", "1 h 5 min".
[[nodiscard]] std::string describe_seconds(double seconds);

// Adds what came of a run. Pure.
void add_attempt(results& to, step const& of, attempt const& made);

// Cases that stood as failed or unsupported are tried again. Pure.
void make_pending(results& all);

// Runs what is missing, with a line a run on standard error; after_each is called after each. False where it was asked
// to stop before the end.
[[nodiscard]] bool measure(results& all, run_setup const& setup, std::function<void()> const& after_each);

}  // namespace packetwarp::bench
