// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "master/supervisor.h"
#include "telemetry/run_report.h"

namespace packetwarp {

// The exit status of a run that has ended: whether it did what it was asked to. It must have accounted for every
// packet, and have had a port to the end. Says what is wrong.
[[nodiscard]] int judge(telemetry::run_report const& report, end_cause cause);

}  // namespace packetwarp
