// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "master/supervisor.h"
#include "telemetry/run_report.h"

namespace packetwarp {

// A port's packets, as it has counted them since its start.
struct sent_by_port {
  std::string name;
  std::uint64_t packets{};
  std::uint64_t bytes{};
};
// Whether captures that ports write (the EAL's words name them) lack packets, as on a full disk. Logs which. To be
// called when the ports are stopped.
[[nodiscard]] bool lack_packets(std::span<sent_by_port const> ports, std::span<std::string const> eal);

// The exit status of a run that has ended: success if it has accounted for every packet, has had a port to the end, and
// if the captures that its ports write (the EAL's words name them) have the packets. Logs what is wrong.
[[nodiscard]] int judge(telemetry::run_report const& report, end_cause cause, std::span<std::string const> eal);

}  // namespace packetwarp
