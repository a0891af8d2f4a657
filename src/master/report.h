// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "master/data_plane.h"
#include "master/supervisor.h"
#include "telemetry/live_line.h"
#include "telemetry/run_report.h"

namespace packetwarp {

// Reports on a run, at any moment of it and at its end. For the master. The plane must still exist, because its ports
// are asked for their counts. Latencies and rates are those of the measured stretch, counts those of the whole run.
class run_reporter {
 public:
  // plane, master: outlive the reporter. Reads the facts about the host.
  run_reporter(std::string command, data_plane const& plane, supervisor const& master);

  // Called while workers move packets. All packets are accounted for: packets that have not left are in flight.
  [[nodiscard]] telemetry::run_report now() const;
  // Called after the workers have returned. Packets in flight are then counted separately from the drop reasons, as a
  // check.
  [[nodiscard]] telemetry::run_report at_end() const;

 private:
  [[nodiscard]] telemetry::run_report say() const;

  std::string command_;
  data_plane const& plane_;
  supervisor const& master_;
  telemetry::host_info host_;
};

// The packets of the plane's kernel interfaces, for the report's `kernels`.
[[nodiscard]] std::vector<telemetry::twin_report> make_twin_report(data_plane const& plane);

// A period of a run that began at `run_began`.
[[nodiscard]] telemetry::live_period make_live_period(measurement const& period, cycles run_began);

}  // namespace packetwarp
