// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/packet_clock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>

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
      rate_{second / per_second},
      last_{first},
      lines_{{.from = first, .slope = rate_}} {}

std::int64_t packet_clock::line::wall_of(cycles when) const {
  return from.wall + std::llround(static_cast<double>(static_cast<std::int64_t>(when - from.at)) * slope);
}

double packet_clock::nanoseconds_per_cycle(clock_pair until) const {
  return static_cast<double>(until.wall - last_.wall) / static_cast<double>(until.at - last_.at);
}

bool packet_clock::is_plausible(double rate) const { return std::abs(rate * per_second_ / second - 1) <= most_bent; }

void packet_clock::begin(clock_pair now) {
  if (now.at <= last_.at) return;
  if (auto const measured = nanoseconds_per_cycle(now); is_plausible(measured)) rate_ = measured;
  lines_ = {{.from = now, .slope = rate_}};
  last_ = now;
}

void packet_clock::take(clock_pair now) {
  if (now.at <= last_.at) return;
  auto const measured = nanoseconds_per_cycle(now);
  auto const since = std::max(wait_, static_cast<double>(now.at - last_.at) / per_second_);
  auto const told = static_cast<std::int64_t>(time_of(now.at));
  auto const behind = static_cast<double>(now.wall - told);
  while (lines_.size() > 1 && lines_.back().from.at >= now.at) lines_.pop_back();
  if (std::abs(behind) > most_bent * since * second || !is_plausible(measured)) {
    lines_.push_back({.from = now, .slope = rate_});
  } else {
    rate_ = measured;
    wait_ = std::min(2 * wait_, longest_wait);
    go_on_from({.at = now.at, .wall = told}, behind);
  }
  last_ = now;
}

// The difference is gone once the next pair is due, or later if the line would be bent too much. From there on times go
// on at the measured rate: the next pair may be late.
void packet_clock::go_on_from(clock_pair told, double behind) {
  auto const bent_for = std::max(wait_, std::abs(behind) / (most_bent * second)) * per_second_;  // cycles
  lines_.push_back({.from = told, .slope = rate_ + behind / bent_for});
  auto const straight = told.at + static_cast<cycles>(bent_for);
  lines_.push_back({.from = {.at = straight, .wall = lines_.back().wall_of(straight)}, .slope = rate_});
}

void packet_clock::forget_before(cycles when) {
  while (lines_.size() > 1 && lines_[1].from.at <= when) lines_.pop_front();
}

// A bent line says nothing about the time before it.
std::uint64_t packet_clock::time_of(cycles when) const {
  auto const later = std::upper_bound(lines_.begin(), lines_.end(), when,
                                      [](cycles moment, line const& one) { return moment < one.from.at; });
  auto const its = later == lines_.begin() ? line{lines_.front().from, rate_} : *std::prev(later);
  return static_cast<std::uint64_t>(its.wall_of(when));
}

}  // namespace packetwarp
