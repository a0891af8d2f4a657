// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log/log_writer.h"
#include "cli/metrics/metrics_endpoint.h"
#include "cli/observer_options.h"
#include "cli/telemetry_commands.h"
#include "master/data_plane.h"
#include "master/supervisor.h"
#include "telemetry/event_log.h"
#include "telemetry/report_board.h"

namespace packetwarp {

// The ways by which others see a run: its reports over HTTP and DPDK's telemetry socket, and a log of what happens.
// The master's; what it serves, it serves from threads beside the workers.
class run_observers {
 public:
  // The EAL has started. Both outlive it. Throws usage_error or failure.
  run_observers(observer_options const& options, std::string const& command, data_plane const& plane,
                supervisor& watches);

  [[nodiscard]] telemetry::report_board& board() { return board_; }
  [[nodiscard]] telemetry::event_log& events() { return events_; }

  // Another log of the run, which reports tell of. counts: nothing where there is no such log; the master's.
  using log_source = std::function<std::optional<log_counts>()>;
  void watch_log(std::string name, log_source counts) { logs_.push_back({std::move(name), std::move(counts)}); }

  // Between the master's looks: what has happened that nobody tells.
  void look();
  // A report of the moment, for those who have asked for one.
  void post(telemetry::run_report report);
  // The last report, when the workers have returned. What has become of the logs is added to it.
  void end(telemetry::run_report& report);

 private:
  struct watched_log {
    std::string name;
    log_source counts;
    std::uint64_t lost{};  // that an event has told of
  };
  void add_logs(telemetry::run_report& to) const;
  void tell_of_lost_lines();

  data_plane const& plane_;
  std::vector<watched_log> logs_;
  telemetry::report_board::clock::time_point told_{};
  telemetry::event_log events_;
  telemetry::report_board board_;
  telemetry_commands commands_;
  metrics_endpoint endpoint_;
  std::uint64_t failed_over_{};
};

}  // namespace packetwarp
