// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "cli/control/control_server.h"
#include "cli/control/report_request.h"
#include "file/yaml_place.h"
#include "master/supervisor.h"
#include "network/network.h"
#include "telemetry/event_log.h"
#include "telemetry/report_board.h"

namespace packetwarp {

// What others may ask of a network while it runs: its control socket, and what is behind each request. The master's.
class run_control {
 public:
  // path and errors: as a control_server has them. file: what the network was read from. All the others outlive it.
  run_control(std::string path, std::span<std::string const> eal, network& net, supervisor const& watches,
              yaml_place file, telemetry::report_board& board, telemetry::event_log& events);

  // Between the master's looks; never waits. Looks for SIGHUP, too.
  void poll();

 private:
  [[nodiscard]] request_work work_of(request const& asked);
  [[nodiscard]] request_work recorded_reload(std::string by);
  // The one that SIGHUP has asked for: what comes of it is logged.
  void finish_reload();

  network& net_;
  supervisor const& watches_;
  yaml_place in_force_;  // the file that it was last read from
  report_answers reports_;
  telemetry::event_log& events_;
  control_server server_;
  request_work reload_;
};

}  // namespace packetwarp
