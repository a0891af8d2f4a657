// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string_view>
#include <vector>

#include "master/port_watch.h"
#include "master/quiet_watch.h"
#include "master/supervisor.h"
#include "traffic/exchange.h"
#include "worker/workforce.h"

namespace packetwarp::traffic {

// The counts of one period of a run that goes on.
struct live_period {
  double elapsed_seconds{};  // since the run began, at the period's end
  double seconds{};          // the period's own
  outcome from;
  outcome to;
};

// The master of a generator's run: ends it when all sent packets have come back, or when none has come for a while
// after the last packet was sent. Packets that do not tell their origin may never stop coming: such a run ends when as
// many have come as were sent, not before `linger` after the last packet was sent, and at the latest after ten times
// `linger`, or a second if that is longer.
class referee final : public workforce::master {
 public:
  struct timing {
    std::chrono::nanoseconds linger{std::chrono::milliseconds{100}};
    std::chrono::nanoseconds stats_period{};  // between live lines; 0 for none
  };
  enum class end_cause : std::uint8_t { none, all_back, linger, abandoned, ports_gone };
  using period_callback = std::function<void(live_period const&)>;

  // workers: run the exchange's jobs. data_plane: the master of a data plane between the ports, which is then stopped
  // in order; or nullptr.
  referee(exchange& refereed, workforce const& workers, timing const& times, period_callback on_period,
          supervisor* data_plane = nullptr);

  [[nodiscard]] run_phase supervise(cycles now) override;
  // Called after the run.
  [[nodiscard]] end_cause cause() const { return cause_; }

 private:
  [[nodiscard]] end_cause why_end(cycles now);
  [[nodiscard]] bool has_lingered(cycles now);
  void report_period(cycles now);

  exchange& exchange_;
  workforce const& workers_;
  timing times_;
  period_callback on_period_;
  supervisor* data_plane_;
  port_watch watch_;
  quiet_watch quiet_;
  // Since the last packet was sent.
  quiet_watch shortest_wait_;
  quiet_watch longest_wait_;
  end_cause cause_{end_cause::none};
  cycles started_;
  cycles period_began_;
  outcome period_from_;
};

[[nodiscard]] std::string_view to_string(referee::end_cause cause);

}  // namespace packetwarp::traffic
