// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/supervisor.h"

#include <algorithm>

#include "base/log/log.h"
#include "base/process/stop.h"

namespace packetwarp {

std::string_view to_string(end_cause cause) {
  switch (cause) {
    case end_cause::none:
      return "none";
    case end_cause::signal:
      return "signal";
    case end_cause::packets:
      return "packets";
    case end_cause::idle:
      return "idle";
    case end_cause::duration:
      return "duration";
    case end_cause::ports_gone:
      return "ports gone";
    case end_cause::finished:
      return "finished";
  }
  return "unknown";
}

supervisor::supervisor(data_plane const& plane, run_limits const& limits, period_callback on_period)
    : plane_{plane},
      limits_{limits},
      on_period_{std::move(on_period)},
      watch_{plane.ports(), link_gates::follow_links},
      quiet_{limits.until_idle},
      started_{now_cycles()} {
  period_.begin = started_;
}

run_phase supervisor::supervise(cycles now) {
  if (phase_ != run_phase::running) return phase_ = drain(now);
  auto const totals = plane_.totals();
  if (measured_.begin == 0 && totals.rx_packets > limits_.warmup) begin_measuring(totals, now);
  watch_.look(now);
  report_period(totals, now);
  if (auto const cause = why_stop(totals, now); cause != end_cause::none) begin_draining(totals, now, cause);
  return phase_;
}

measurement supervisor::measured() const {
  auto made = measured_;
  if (phase_ != run_phase::running || made.begin == 0) return made;
  made.to = plane_.totals();
  made.end = now_cycles();
  return made;
}

void supervisor::begin_measuring(data_plane_totals const& totals, cycles now) {
  // Without a warm-up all packets count, from the first on.
  measured_.begin = limits_.warmup == 0 ? totals.first_seen : now;
  if (limits_.warmup == 0) return;
  measured_.from = totals;
  for (auto const& p : plane_.pipelines()) latency_before_.push_back(p.counters().departures.latency.snapshot());
}

end_cause supervisor::why_stop(data_plane_totals const& totals, cycles now) {
  if (stop_requested() != stop_request::none) return end_cause::signal;
  if (finished_) return end_cause::finished;
  if (watch_.all_gone() || is_out_of_work()) return end_cause::ports_gone;
  if (limits_.packets != 0 && totals.rx_packets >= limits_.warmup + limits_.packets) return end_cause::packets;
  if (limits_.duration.count() != 0 && now - started_ >= to_cycles(limits_.duration)) return end_cause::duration;
  if (limits_.until_idle.count() != 0 && quiet_.is_quiet(totals.rx_packets, plane_.workers(), now)) {
    return end_cause::idle;
  }
  return end_cause::none;
}

// Whether a device was removed, and no pipeline still has both a port to receive from and a port to send by.
bool supervisor::is_out_of_work() const {
  if (!watch_.any_removed()) return false;
  auto const& all = plane_.pipelines();
  return std::none_of(all.begin(), all.end(), [this](pipeline const& p) {
    auto const& egresses = p.planned().egresses;
    return !watch_.is_gone(p.planned().rx_port) &&
           std::any_of(egresses.begin(), egresses.end(), [this](auto const& to) { return !watch_.is_gone(to.port); });
  });
}

void supervisor::begin_draining(data_plane_totals const& totals, cycles now, end_cause cause) {
  // A run that ends within its warm-up has measured nothing.
  if (measured_.begin == 0) begin_measuring(totals, now);
  measured_.to = totals;
  measured_.end = cause == end_cause::idle || totals.last_seen == 0 ? totals.last_seen : now;
  cause_ = cause;
  draining_since_ = now;
  phase_ = run_phase::draining;
}

// Whether no worker polls a port any more: each has finished the loop iteration that it may have begun before it saw
// the phase change, and one more. Iterations are counted from the master's first one after the change, because the new
// phase is visible only then.
bool supervisor::all_have_seen_drain() {
  auto const loops = plane_.workers().loops();
  if (loops_at_drain_.empty()) loops_at_drain_ = loops;
  return std::equal(loops.begin(), loops.end(), loops_at_drain_.begin(),
                    [](auto now, auto then) { return now >= then + 2; });
}

run_phase supervisor::drain(cycles now) {
  // The order matters: packets that a worker's last poll received are then among the totals.
  bool const seen = all_have_seen_drain();
  auto const totals = plane_.totals();
  if (seen && totals.in_flight() == 0) return run_phase::halted;
  if (phase_ == run_phase::draining) {
    bool const late = now - draining_since_ >= to_cycles(limits_.drain_timeout);
    if (!late && stop_requested() != stop_request::abandon) return phase_;
    if (totals.in_flight() != 0) {
      log().warn("{} packets still in flight are dropped as \"shutdown\"{}", totals.in_flight(),
                 late ? ": they did not drain in time" : "");
    }
    abandoning_since_ = now;
    return run_phase::abandoning;
  }
  bool const hopeless = now - abandoning_since_ >= to_cycles(std::chrono::seconds{1});
  return hopeless ? run_phase::halted : phase_;
}

void supervisor::report_period(data_plane_totals const& totals, cycles now) {
  if (limits_.stats_period.count() == 0 || now - period_.begin < to_cycles(limits_.stats_period)) return;
  period_.to = totals;
  period_.end = now;
  on_period_(period_);
  period_.from = totals;
  period_.begin = now;
}

}  // namespace packetwarp
