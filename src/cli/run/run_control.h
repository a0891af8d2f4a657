// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "cli/control/line_server.h"
#include "cli/control/request.h"
#include "cli/run/network.h"

namespace packetwarp {

// What others may ask of a network while it runs: its control socket, and what is behind each request. The master's.
class run_control {
 public:
  // path: "none" for no socket, empty for a default one by the EAL's file prefix; a default that cannot be had is
  // logged and done without. net outlives it. Throws usage_error or failure.
  run_control(std::string path, std::span<std::string const> eal, network& net);

  // Between the master's looks; never waits. Looks for SIGHUP, too.
  void poll();

 private:
  void listen(std::string path);
  [[nodiscard]] request_work begin(std::string_view line);
  [[nodiscard]] request_work work_of(request const& asked);
  // The one that SIGHUP has asked for: what comes of it is logged.
  void finish_reload();

  network& net_;
  std::unique_ptr<line_server> server_;
  request_work reload_;
};

}  // namespace packetwarp
