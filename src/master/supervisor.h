// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "master/data_plane.h"
#include "master/port_watch.h"
#include "master/quiet_watch.h"
#include "plan/config.h"
#include "worker/workforce.h"

namespace packetwarp {

// The cause of a run's end.
enum class end_cause : std::uint8_t { none, signal, packets, idle, duration, ports_gone, finished };
[[nodiscard]] std::string_view to_string(end_cause cause);

// The stretch of a run for which its rates are calculated: from the end of the warm-up, or the first packet, to the
// beginning of the stop, or the last packet.
struct measurement {
  data_plane_totals from;
  data_plane_totals to;
  cycles begin{};
  cycles end{};
  [[nodiscard]] double seconds() const { return end > begin ? to_nanoseconds(end - begin) / 1e9 : 0; }
};

// The master of a forwarding run: decides when measuring begins and when the run ends, and waits until it is drained.
class supervisor final : public workforce::master {
 public:
  // on_period: called every limits.stats_period, with the totals at the beginning and at the end of the period.
  using period_callback = std::function<void(measurement const&)>;
  supervisor(data_plane const& plane, run_limits const& limits, period_callback on_period);

  [[nodiscard]] run_phase supervise(cycles now) override;
  // The measured stretch, or its part so far. For the master.
  [[nodiscard]] measurement measured() const;
  [[nodiscard]] end_cause cause() const { return cause_; }
  [[nodiscard]] cycles started() const { return started_; }
  // Each pipeline's latency histogram when measuring began; empty without a warm-up.
  [[nodiscard]] std::span<telemetry::histogram_snapshot const> latency_before() const { return latency_before_; }
  // The state of the n-th port.
  [[nodiscard]] port_state state_of(std::size_t n) const { return watch_.state_of(n); }
  [[nodiscard]] run_phase phase() const { return phase_; }
  // Adds a listener for events of ports.
  void tell(port_watch::listener whom) { watch_.tell(std::move(whom)); }
  // Ends the run as if a limit had been reached; for a caller of supervise() that wraps this master.
  void finish() { finished_ = true; }

 private:
  void begin_measuring(data_plane_totals const& totals, cycles now);
  [[nodiscard]] bool is_out_of_work() const;
  [[nodiscard]] end_cause why_stop(data_plane_totals const& totals, cycles now);
  void begin_draining(data_plane_totals const& totals, cycles now, end_cause cause);
  [[nodiscard]] bool all_have_seen_drain();
  [[nodiscard]] run_phase drain(cycles now);
  void report_period(data_plane_totals const& totals, cycles now);

  data_plane const& plane_;
  run_limits limits_;
  period_callback on_period_;
  port_watch watch_;
  quiet_watch quiet_;
  measurement measured_;
  measurement period_;
  std::vector<telemetry::histogram_snapshot> latency_before_;
  run_phase phase_{run_phase::running};
  end_cause cause_{end_cause::none};
  bool finished_{false};
  cycles started_;
  cycles draining_since_{0};
  cycles abandoning_since_{0};
  std::vector<std::uint64_t> loops_at_drain_;
};

}  // namespace packetwarp
