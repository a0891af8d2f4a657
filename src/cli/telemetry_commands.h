// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "telemetry/report_board.h"

namespace packetwarp {

// A run's report as commands of DPDK's telemetry socket (dpdk-telemetry.py):
//   /packetwarp/info  /packetwarp/pipelines  /packetwarp/pipeline,ID  /packetwarp/workers  /packetwarp/ports
//   /packetwarp/drops  /packetwarp/latency  /packetwarp/control  /packetwarp/nat  /packetwarp/rules
// The commands are DPDK's until the process ends, and answer while an object of this class exists. Only one may exist
// at a time.
class telemetry_commands {
 public:
  // The board outlives this object, which is made after the EAL has started, with or without a telemetry socket.
  explicit telemetry_commands(telemetry::report_board& board);
  telemetry_commands(telemetry_commands const&) = delete;
  telemetry_commands& operator=(telemetry_commands const&) = delete;
  // After the destructor no command runs.
  ~telemetry_commands();
};

}  // namespace packetwarp
