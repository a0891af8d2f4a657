// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/control/control_server.h"
#include "cli/control/report_request.h"
#include "cli/run/announced_end.h"
#include "cli/run/file_watch.h"
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

  // Reads the file again whenever it changes. read: its mark from before it was read for the start.
  void watch_file(file_mark const& read) { watch_.emplace(net_.config().file, read); }
  // To be called between the master's loop iterations; never waits. It also handles SIGHUP.
  void poll();
  // To be called after the workers' end: gives up reloads that are under way, and tells their clients. Waits for a
  // second at most.
  void end();
  [[nodiscard]] announced_end& leaving() { return leaving_; }

 private:
  [[nodiscard]] request_work work_of(request const& asked);
  [[nodiscard]] request_work drain(request const& asked);
  [[nodiscard]] request_work recorded_reload(std::string by);
  // Begins the reload that SIGHUP or a change of the file asks for.
  void begin_reload();
  // Finishes it, and logs its result.
  void finish_reload();

  network& net_;
  supervisor const& watches_;
  yaml_place in_force_;  // the file as last read
  telemetry::report_board& board_;
  report_answers reports_;
  telemetry::event_log& events_;
  control_server server_;
  request_work reload_;
  std::string_view reload_by_;  // begins the line about it
  bool is_over_{};
  std::shared_ptr<int> const reloads_{std::make_shared<int>()};  // as many other owners as reloads under way
  std::optional<file_watch> watch_;
  announced_end leaving_;
};

}  // namespace packetwarp
