// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "master/data_plane.h"
#include "telemetry/run_report.h"
#include "traffic/referee.h"
#include "traffic/result.h"

namespace packetwarp {

// The report of a generator's run at its end, and its text.
struct generate_report {
  std::string traffic;   // "udp, 64 B, 1000 flows"
  std::string rate;      // as requested
  std::string through;   // the data plane between; empty if none exists
  std::string expected;  // as-sent, mac-swapped
  std::string ended_by;
  std::optional<data_plane_totals> plane;                          // the counts of the data plane between
  std::optional<telemetry::latency_percentiles> plane_latency_us;  // from its rx to its packets being ready to send
  traffic::exchange_result result;
};

// The report as tables for a terminal, with a line end.
[[nodiscard]] std::string to_text(generate_report const& report);
// The report as one JSON object, without a line end.
[[nodiscard]] std::string to_json(generate_report const& report);
// The counts of a period as a line, without a line end.
[[nodiscard]] std::string live_line(traffic::live_period const& period);

}  // namespace packetwarp
