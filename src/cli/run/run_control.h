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

// The requests that other programs may make of a running network: its control socket, and the work of each request. For
// the master.
class run_control {
 public:
  // path and errors: see control_server. file: the text that the network was read from. All other arguments outlive it.
  run_control(std::string path, std::span<std::string const> eal, network& net, supervisor const& watches,
              yaml_place file, telemetry::report_board& board, telemetry::event_log& events);

  // To be called between the master's loop iterations; never waits. It also handles SIGHUP.
  void poll();

 private:
  [[nodiscard]] request_work work_of(request const& asked);
  [[nodiscard]] request_work recorded_reload(std::string by);
  // Finishes the reload that SIGHUP asked for, and logs its result.
  void finish_reload();

  network& net_;
  supervisor const& watches_;
  yaml_place in_force_;  // the file as last read
  report_answers reports_;
  telemetry::event_log& events_;
  control_server server_;
  request_work reload_;
};

}  // namespace packetwarp
