// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/process/stop.h"
#include "cli/command.h"
#include "cli/control/control_client.h"

namespace packetwarp {
namespace {

constexpr std::chrono::milliseconds pause{200};

// The control socket is the run's, and goes some time before the process.
[[nodiscard]] bool is_gone(std::string const& control) {
  bool const is_absent = ::access(control.c_str(), F_OK) != 0 && errno == ENOENT;
  return is_absent || state_of_socket(control) == socket_state::stale;
}

// Waits for up to `pause`. process: nothing if only the control socket tells.
[[nodiscard]] bool has_ended(owned_fd const& process, std::string const& control) {
  if (!process) {
    std::this_thread::sleep_for(pause);
    return is_gone(control);
  }
  pollfd ended{.fd = process.get(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, static_cast<int>(pause.count())) > 0;
}

void wait_for_end_of_run(owned_fd const& process, std::string const& control) {
  while (!has_ended(process, control)) {
    if (stop_requested() != stop_request::none) throw failure("drain: a signal ended the wait; the run drains on");
  }
}

}  // namespace

int run_drain(invocation const& given) {
  auto const call = with_words_as_options(given);
  std::optional<std::string> control, within;
  CLI::App app;
  app.add_option("--within", within);
  bool keeps_routes = false;
  app.add_flag("--keep-routes", keeps_routes);
  app.add_option("--control", control);
  auto const* const wait = app.add_flag("--wait");
  parse_options(app, call);
  request asked{.command = "drain", .arguments = {}};
  if (within) asked.arguments.emplace("within", *within);
  if (keeps_routes) asked.arguments.emplace("announced", "keep");
  control_client running{control};
  auto const said = running.ask(asked);
  fmt::print("{}\n", understood([&] { return said.at("text").get<std::string>(); }));
  if (wait->count() > 0) wait_for_end_of_run(running.process(), running.path());
  return exit_success;
}

}  // namespace packetwarp
