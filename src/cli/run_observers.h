// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

// The ways by which other programs see a run: its reports over HTTP and DPDK's telemetry socket, and a log of events.
// The master owns it; threads beside the workers do the serving.
class run_observers {
 public:
  // Made after the EAL has started. plane and watches outlive it. Throws usage_error or failure.
  run_observers(observer_options const& options, std::string const& command, data_plane const& plane,
                supervisor& watches);

  [[nodiscard]] telemetry::report_board& board() { return board_; }
  [[nodiscard]] telemetry::event_log& events() { return events_; }

  // Includes another log of the run in reports. counts: nothing without a log; the master calls it.
  using log_source = std::function<std::optional<log_counts>()>;
  void watch_log(std::string name, log_source counts) { logs_.push_back({std::move(name), std::move(counts)}); }

  // Called between the master's loop iterations: reports events that no other code reports.
  void look();
  // Publishes a report of this moment, for its readers.
  void post(telemetry::run_report report);
  // Publishes the last report, after the workers have returned. The fate of the logs' lines is added to it.
  void end(telemetry::run_report& report);

 private:
  struct watched_log {
    std::string name;
    log_source counts;
    std::uint64_t lost{};  // as of the last event about it
  };
  // The events that have been written about a kernel interface.
  struct told_of_twin {
    std::uint32_t downs{};
    bool is_down{};
    bool is_gone{};
  };
  void add_logs(telemetry::run_report& to) const;
  void tell_of_lost_lines();
  void tell_of_twins();
  void tell_of(twin_link const& twin);

  data_plane const& plane_;
  std::vector<watched_log> logs_;
  telemetry::report_board::clock::time_point told_{};
  telemetry::event_log events_;
  telemetry::report_board board_;
  telemetry_commands commands_;
  metrics_endpoint endpoint_;
  std::uint64_t failed_over_{};
  std::map<twin_link const*, told_of_twin> twins_;
};

}  // namespace packetwarp
