// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cli/control/line_server.h"
#include "request/request.h"

namespace packetwarp {

// A control socket, if it is wanted, and the parser of its requests: bytes that are no request, and errors of a
// command, are answered by their line. For a single thread.
class control_server {
 public:
  // Makes the work of a request; throws usage_error for an unknown command.
  using command_maker = std::function<request_work(request const&)>;

  // path: "none" for no socket, empty for a default one by the EAL's file prefix; if the default socket cannot be made,
  // this is logged and the run goes on without one. Throws usage_error or failure.
  control_server(std::string path, std::span<std::string const> eal, command_maker make,
                 line_server_limits limits = {});

  // Called between the master's loop iterations; never waits.
  void poll();

 private:
  void listen(std::string path);
  [[nodiscard]] request_work begin(std::string_view line);

  command_maker make_;
  line_server_limits limits_;
  std::unique_ptr<line_server> server_;
};

// The same work, with its exceptions as answers.
[[nodiscard]] request_work guarded(request_work work);

// Refuses a command that this process does not have. running: the process's command, "l2fwd" or "run"; of_networks:
// first words of commands that it would have as a network. Throws usage_error.
[[noreturn]] void refuse_command(request const& asked, std::string_view running,
                                 std::span<std::string_view const> of_networks = {});

}  // namespace packetwarp
