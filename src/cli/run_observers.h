// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/metrics/metrics_endpoint.h"
#include "cli/observer_options.h"
#include "cli/telemetry_commands.h"
#include "telemetry/event_log.h"
#include "telemetry/report_board.h"
#include "topology/data_plane.h"
#include "topology/supervisor.h"

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

  // Between the master's looks: what has happened that nobody tells.
  void look();
  // The last report, when the workers have returned.
  void end(telemetry::run_report const& report);

 private:
  data_plane const& plane_;
  telemetry::event_log events_;
  telemetry::report_board board_;
  telemetry_commands commands_;
  metrics_endpoint endpoint_;
  std::uint64_t failed_over_{};
};

}  // namespace packetwarp
