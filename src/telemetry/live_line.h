// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "telemetry/traffic.h"

namespace packetwarp::telemetry {

// The counts of one period of a run.
struct live_period {
  double elapsed_seconds{};  // since the run began, at the period's end
  double seconds{};          // the period's own
  std::uint64_t rx_packets{};
  traffic tx{};
  std::uint64_t dropped{};
  std::uint64_t in_flight{};  // at its end
  std::uint64_t big_loops{};  // of all workers
};

// The counts as a line, without a line end; columns stay in place from line to line.
[[nodiscard]] std::string live_line(live_period const& period);

}  // namespace packetwarp::telemetry
