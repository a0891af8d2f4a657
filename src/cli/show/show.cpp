// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/control/control_client.h"
#include "cli/show/listing.h"
#include "cli/show/options.h"

namespace packetwarp {
namespace {

// Lists come page by page, all other requests have a single answer.
[[nodiscard]] std::string shown_by(show_options const& options, control_client& running) {
  if (options.is_list()) return understood([&] { return list_pages(options, running, options.what->rows()); });
  auto const said = running.ask({.command = options.command(), .arguments = options.arguments});
  return options.prints_json ? said.dump(2) + '\n' : understood([&] { return options.what->text(said); });
}

}  // namespace

int run_show(invocation const& call) {
  auto const options = parse_show_options(call);
  control_client running{options.control, limits_of_readers};
  fmt::print("{}", shown_by(options, running));
  return exit_success;
}

}  // namespace packetwarp
