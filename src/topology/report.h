// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "telemetry/live_line.h"
#include "telemetry/run_report.h"
#include "topology/control_service.h"
#include "topology/supervisor.h"

namespace packetwarp {

// What a run that has ended has to say. Call it before the plane is gone: ports are asked for their counts.
// Latencies are of the measured stretch, as rates are; counts are of the whole run.
[[nodiscard]] telemetry::run_report make_report(std::string command, data_plane const& plane, supervisor const& master);

// What the control plane beside it did, for the report's `control`.
[[nodiscard]] telemetry::control_report make_control_report(control_counters const& counters, data_plane const& plane);

// What passed by its kernel interfaces, for the report's `kernels`.
[[nodiscard]] std::vector<telemetry::kernel_report> make_kernel_report(data_plane const& plane);

// One period of a run that began at `run_began`.
[[nodiscard]] telemetry::live_period make_live_period(measurement const& period, cycles run_began);

}  // namespace packetwarp
