// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/error.h"
#include "cli/command.h"
#include "cli/control/control_client.h"

namespace packetwarp {

int run_drain(invocation const& given) {
  auto const call = with_words_as_options(given);
  std::optional<std::string> control, within;
  CLI::App app;
  app.add_option("--within", within);
  bool keeps_routes = false;
  app.add_flag("--keep-routes", keeps_routes);
  app.add_option("--control", control);
  parse_options(app, call);
  request asked{.command = "drain", .arguments = {}};
  if (within) asked.arguments.emplace("within", *within);
  if (keeps_routes) asked.arguments.emplace("announced", "keep");
  control_client running{control};
  fmt::print("{}\n", running.ask(asked).value("text", std::string{}));
  return exit_success;
}

}  // namespace packetwarp
