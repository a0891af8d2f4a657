// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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

// The control socket is the run's: no connection to it is possible once the run has ended.
void wait_for_end_of_run(std::string const& path) {
  try {
    while (true) {
      std::this_thread::sleep_for(pause);
      if (stop_requested() != stop_request::none) break;
      control_client const still_running{path};
    }
  } catch (failure const&) {
    return;
  }
  throw failure("drain: a signal ended the wait; the run drains on");
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
  fmt::print("{}\n", running.ask(asked).value("text", std::string{}));
  if (wait->count() > 0) wait_for_end_of_run(running.path());
  return exit_success;
}

}  // namespace packetwarp
