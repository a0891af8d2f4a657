// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "master/supervisor.h"
#include "telemetry/run_report.h"

namespace packetwarp {

// The exit status of a run that has ended: success if it has accounted for every packet, has had a port to the end, and
// if the captures that its ports write (the EAL's words name them) have the packets. Logs what is wrong.
[[nodiscard]] int judge(telemetry::run_report const& report, end_cause cause, std::span<std::string const> eal);

}  // namespace packetwarp
