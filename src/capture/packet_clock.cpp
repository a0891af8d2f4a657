// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/packet_clock.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace packetwarp {
namespace {

constexpr double second = 1e9;       // nanoseconds
constexpr double first_wait = 0.01;  // seconds
constexpr double longest_wait = 1;
// The most by which a slope is bent, so that time goes on.
constexpr double most_bent = 0.1;

[[nodiscard]] std::int64_t wall_clock() {
  auto const since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

}  // namespace

clock_pair read_clocks() {
  constexpr int attempts = 5;  // another thread may have the CPU between two readings
  clock_pair best;
  auto closest = ~cycles{0};
  for (int n = 0; n < attempts; ++n) {
    auto const before = now_cycles();
    auto const wall = wall_clock();
    auto const took = now_cycles() - before;
    if (took >= closest) continue;
    closest = took;
    best = {.at = before + took / 2, .wall = wall};
  }
  return best;
}

packet_clock::packet_clock(clock_pair first, double per_second)
    : per_second_{per_second},
      wait_{first_wait},
      last_{first},
      before_{.from = first, .slope = second / per_second},
      now_{before_} {}

double packet_clock::line::wall_since(cycles when) const {
  return static_cast<double>(static_cast<std::int64_t>(when - from.at)) * slope;
}

void packet_clock::take(clock_pair now) {
  if (now.at <= last_.at) return;
  auto const measured = static_cast<double>(now.wall - last_.wall) / static_cast<double>(now.at - last_.at);
  auto const told = static_cast<std::int64_t>(time_of(now.at));
  auto const behind = static_cast<double>(now.wall - told);
  auto const nominal = second / per_second_;
  bool const is_set = std::abs(behind) > most_bent * wait_ * second || std::abs(measured / nominal - 1) > most_bent;
  before_ = now_;
  if (is_set) {
    now_ = {.from = now, .slope = nominal};
  } else {
    // The difference is gone once the next pair is due.
    wait_ = std::min(2 * wait_, longest_wait);
    now_ = {.from = {.at = now.at, .wall = told}, .slope = measured + behind / (wait_ * per_second_)};
  }
  last_ = now;
}

std::uint64_t packet_clock::time_of(cycles when) const {
  auto const& its = static_cast<std::int64_t>(when - now_.from.at) < 0 ? before_ : now_;
  return static_cast<std::uint64_t>(its.from.wall + std::llround(its.wall_since(when)));
}

}  // namespace packetwarp
