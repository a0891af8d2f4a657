// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/process/stop.h"
#include "bench/testpmd.h"

namespace packetwarp::bench {
namespace {

constexpr double testpmd_warm_up = 0.5;

template <class Measured>
bool is_missing(Measured const& one, unsigned repeat) {
  return one.status == case_status::pending && one.runs.size() <= repeat;
}

template <class Measured>
void add_to(Measured& one, attempt const& made, unsigned repeats) {
  if (made.status != case_status::ok) {
    one.status = made.status;
    one.reason = made.reason;
    return;
  }
  one.runs.push_back(made.measured);
  if (one.runs.size() >= repeats) one.status = case_status::ok;
}

void add_step(std::vector<step>& to, std::size_t first, step one) {
  if (std::find(to.begin() + static_cast<std::ptrdiff_t>(first), to.end(), one) == to.end()) to.push_back(one);
}

// testpmd has counterparts of these executors only.
std::optional<peer_parameters> peer_before(parameters const& what) {
  if (what.executor == executor_kind::none) return peer_of(what, testpmd_mode::io);
  if (what.executor == executor_kind::cpu) return peer_of(what, testpmd_mode::macswap);
  return std::nullopt;
}

std::string name_of(step const& one, results const& all) {
  if (one.of == step::kind::own) return describe(all.cases[one.index].what);
  auto const& what = all.peers[one.index].what;
  return fmt::format("testpmd {}, burst {}, {} B, {} port{}", to_string(what.mode), what.burst, what.frame_bytes,
                     what.pipelines, what.pipelines == 1 ? "" : "s");
}

std::string outcome_of(attempt const& made) {
  if (made.status != case_status::ok) return fmt::format("{}: {}", to_string(made.status), made.reason);
  auto text = fmt::format("{:.2f} Mpps", made.measured.mpps);
  if (made.measured.latency_us) text += fmt::format(", p99 {:.1f} us", made.measured.latency_us->p99);
  return text;
}

attempt run(step const& one, results& all, run_setup const& setup) {
  if (one.of == step::kind::testpmd) {
    all.peers[one.index].command = joined(command_of(all.peers[one.index].what, setup));
    return run_once(all.peers[one.index].what, setup);
  }
  auto& of = all.cases[one.index];
  of.command = joined(command_of(of.what, setup));
  // A machine that stood still for a whole run, as virtual ones do, has measured nothing of the case.
  constexpr int most_runs = 3;
  attempt made;
  for (int runs = 0; runs < most_runs; ++runs) {
    made = run_once(of.what, setup);
    if (made.reason != nothing_measured) break;
  }
  return made;
}

}  // namespace

std::vector<step> missing_steps(results const& all) {
  std::vector<step> steps;
  for (unsigned repeat = 0; repeat < all.repeats; ++repeat) {
    auto const first = steps.size();
    for (std::size_t i = 0; i < all.cases.size(); ++i) {
      auto const beside = peer_before(all.cases[i].what);
      for (std::size_t p = 0; beside && p < all.peers.size(); ++p) {
        if (all.peers[p].what == *beside && is_missing(all.peers[p], repeat)) {
          add_step(steps, first, {step::kind::testpmd, p});
        }
      }
      if (is_missing(all.cases[i], repeat)) steps.push_back({step::kind::own, i});
    }
  }
  return steps;
}

double seconds_of(std::vector<step> const& steps, results const& all, double overhead) {
  double seconds = 0;
  for (auto const& one : steps) {
    seconds += all.seconds + overhead + (one.of == step::kind::testpmd ? testpmd_warm_up : 0);
  }
  return seconds;
}

std::string describe_seconds(double seconds) {
  auto const whole = static_cast<std::uint64_t>(std::ceil(std::max(seconds, 0.0)));
  if (whole < 90) return fmt::format("{} s", whole);
  auto const minutes = (whole + 59) / 60;
  return minutes < 60 ? fmt::format("{} min", minutes) : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

void add_attempt(results& to, step const& of, attempt const& made) {
  if (of.of == step::kind::testpmd) {
    add_to(to.peers[of.index], made, to.repeats);
  } else {
    add_to(to.cases[of.index], made, to.repeats);
  }
  // Only a run that has started the EAL knows its clock.
  if (!made.host.is_null()) to.host = made.host;
  for (auto const& notice : made.notices) add_notice(to, notice);
}

void make_pending(results& all) {
  auto const again = [&](auto& one) {
    if (one.status == case_status::ok) return;
    one.status = case_status::pending;
    one.reason.clear();
  };
  std::for_each(all.cases.begin(), all.cases.end(), again);
  std::for_each(all.peers.begin(), all.peers.end(), again);
}

bool measure(results& all, run_setup const& setup, std::function<void()> const& after_each) {
  using clock = std::chrono::steady_clock;
  double overhead_sum = 0;
  std::size_t done = 0, measured_runs = 0;
  for (auto steps = missing_steps(all); !steps.empty(); steps = missing_steps(all)) {
    if (stop_requested() != stop_request::none) return false;
    auto const one = steps.front();
    auto const began = clock::now();
    auto const made = run(one, all, setup);
    if (made.status == case_status::pending) return false;
    add_attempt(all, one, made);
    ++done;
    if (made.status == case_status::ok) {
      auto const took = std::chrono::duration<double>(clock::now() - began).count();
      overhead_sum += took - seconds_of({one}, all, 0);
      ++measured_runs;
    }
    auto const overhead = measured_runs == 0 ? usual_overhead : overhead_sum / static_cast<double>(measured_runs);
    auto const left = missing_steps(all);
    fmt::print(stderr, "run {} of {}: {}: {}; {}\n", done, done + left.size(), name_of(one, all), outcome_of(made),
               left.empty() ? "done" : describe_seconds(seconds_of(left, all, overhead)) + " left");
    after_each();
  }
  return true;
}

}  // namespace packetwarp::bench
