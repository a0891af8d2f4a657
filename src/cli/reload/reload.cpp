// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/error.h"
#include "cli/command.h"
#include "cli/control/control_client.h"

namespace packetwarp {

int run_reload(invocation const& given) {
  auto const call = with_words_as_options(given);
  std::optional<std::string> control;
  bool prints_json = false;
  CLI::App app;
  app.add_flag("--json", prints_json);
  app.add_option("--control", control);
  parse_options(app, call);
  control_client running{control};
  auto const said = running.ask({.command = "reload", .arguments = {}});
  fmt::print("{}\n", prints_json ? said.dump(2) : understood([&] { return said.at("text").get<std::string>(); }));
  return exit_success;
}

}  // namespace packetwarp
