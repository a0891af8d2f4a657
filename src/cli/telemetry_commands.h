// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "telemetry/report_board.h"

namespace packetwarp {

// A run's report as commands of DPDK's telemetry socket (dpdk-telemetry.py):
//   /packetwarp/info  /packetwarp/pipelines  /packetwarp/pipeline,ID  /packetwarp/workers  /packetwarp/ports
//   /packetwarp/drops  /packetwarp/latency  /packetwarp/control  /packetwarp/nat  /packetwarp/rules
// They are DPDK's until the process ends, and answer while there is one of these. One at a time.
class telemetry_commands {
 public:
  // board outlives it. The EAL has started; whether it has a telemetry socket is its affair.
  explicit telemetry_commands(telemetry::report_board& board);
  telemetry_commands(telemetry_commands const&) = delete;
  telemetry_commands& operator=(telemetry_commands const&) = delete;
  // No command is at work behind it.
  ~telemetry_commands();
};

}  // namespace packetwarp
