// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/referee.h"

#include <algorithm>

#include "base/stop.h"

namespace packetwarp::traffic {

std::string_view to_string(referee::end_cause cause) {
  switch (cause) {
    case referee::end_cause::none:
      return "none";
    case referee::end_cause::all_back:
      return "all back";
    case referee::end_cause::linger:
      return "linger";
    case referee::end_cause::abandoned:
      return "abandoned";
    case referee::end_cause::ports_gone:
      return "ports gone";
  }
  return "unknown";
}

referee::referee(exchange& refereed, workforce const& workers, timing const& times, period_callback on_period,
                 supervisor* data_plane)
    : exchange_{refereed},
      workers_{workers},
      times_{times},
      on_period_{std::move(on_period)},
      data_plane_{data_plane},
      watch_{refereed.ports()},
      started_{now_cycles()},
      period_began_{started_} {}

run_phase referee::supervise(cycles now) {
  if (cause_ == end_cause::none) {
    report_period(now);
    watch_.look(now);
    cause_ = why_end(now);
    if (cause_ == end_cause::none) return run_phase::running;
    exchange_.stop();
    if (data_plane_ != nullptr) data_plane_->finish();
  }
  return data_plane_ != nullptr ? data_plane_->supervise(now) : run_phase::halted;
}

referee::end_cause referee::why_end(cycles now) {
  auto const asked = stop_requested();
  if (asked == stop_request::abandon) return end_cause::abandoned;
  if (asked == stop_request::drain) exchange_.stop();
  if (watch_.all_gone()) return end_cause::ports_gone;
  if (!exchange_.all_sent()) return end_cause::none;
  if (exchange_.all_back()) return end_cause::all_back;
  return has_lingered(now) ? end_cause::linger : end_cause::none;
}

// No packet of this run has come for the linger time, though every worker looked for it. Strangers may go on coming.
bool referee::has_lingered(cycles now) {
  auto const received = exchange_.packets_received();
  if (quiet_since_ == 0 || received != received_at_quiet_) {
    quiet_since_ = now;
    received_at_quiet_ = received;
    turns_at_quiet_ = turns();
    return false;
  }
  if (now - quiet_since_ < to_cycles(times_.linger)) return false;
  auto const turned = [](std::uint64_t then, std::uint64_t by_now) { return by_now >= then + turns_to_linger; };
  auto const by_now = turns();
  return std::equal(turns_at_quiet_.begin(), turns_at_quiet_.end(), by_now.begin(), by_now.end(), turned);
}

std::vector<std::uint64_t> referee::turns() const {
  std::vector<std::uint64_t> of_each;
  for (auto const& [lcore, one] : workers_.workers()) {
    if (one->has_jobs()) of_each.push_back(one->loops());
  }
  return of_each;
}

void referee::report_period(cycles now) {
  if (times_.stats_period.count() == 0 || now < period_began_ + to_cycles(times_.stats_period)) return;
  auto const to = exchange_.so_far();
  auto const seconds = [](cycles from, cycles until) { return to_nanoseconds(until - from) / 1e9; };
  on_period_({.elapsed_seconds = seconds(started_, now),
              .seconds = seconds(period_began_, now),
              .from = period_from_,
              .to = to});
  period_from_ = to;
  period_began_ = now;
}

}  // namespace packetwarp::traffic
