// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/referee.h"

#include <algorithm>

#include "base/process/stop.h"

namespace packetwarp::traffic {
namespace {

constexpr int most_lingers = 10;
constexpr std::chrono::nanoseconds least_patience = std::chrono::seconds{1};
constexpr std::chrono::nanoseconds most_patience = std::chrono::hours{24};

// The time for which packets of unknown origin are awaited.
std::chrono::nanoseconds patience_of(std::chrono::nanoseconds linger) {
  return linger < most_patience ? std::max(linger * most_lingers, least_patience) : linger;
}

}  // namespace

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
      quiet_{times.linger},
      shortest_wait_{times.linger},
      longest_wait_{patience_of(times.linger)},
      started_{now_cycles()},
      period_began_{started_} {}

run_phase referee::supervise(cycles now) {
  if (cause_ == end_cause::none) {
    report_period(now);
    exchange_.look_for_removals();
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
  if (watch_.all_gone() || watch_.any_removed()) return end_cause::ports_gone;
  if (!exchange_.all_sent()) return end_cause::none;
  if (exchange_.all_back()) return end_cause::all_back;
  return has_lingered(now) ? end_cause::linger : end_cause::none;
}

bool referee::has_lingered(cycles now) {
  // Packets of others may never stop: only packets of this run prolong it.
  if (quiet_.is_quiet(exchange_.packets_received(), workers_, now)) return true;
  if (exchange_.tells_origin()) return false;
  // A count that never changes: only the time and the workers' polls matter.
  bool const may_end = shortest_wait_.is_quiet(0, workers_, now);
  bool const must_end = longest_wait_.is_quiet(0, workers_, now);
  return must_end || (may_end && exchange_.as_many_back());
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
