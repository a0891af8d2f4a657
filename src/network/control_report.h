// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "master/data_plane.h"
#include "network/control_service.h"
#include "telemetry/run_report.h"

namespace packetwarp {

// The counts of the control plane beside a data plane, for the report's `control`.
[[nodiscard]] telemetry::control_report make_control_report(control_counters const& counters, data_plane const& plane);

}  // namespace packetwarp
