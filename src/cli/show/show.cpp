// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/control/control_client.h"
#include "cli/show/options.h"
#include "cli/show/text.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string listed_by(show_options const& options, control_client& running) {
  switch (options.what) {
    case show_kind::neighbours:
      return list_pages(options, running, neighbour_listing());
    case show_kind::nat:
      return list_pages(options, running, nat_listing());
    case show_kind::rules:
      return list_pages(options, running, rule_listing());
    default:
      return list_pages(options, running, route_listing());
  }
}

[[nodiscard]] std::string text_of_answer(show_options const& options, json const& said) {
  switch (options.what) {
    case show_kind::interfaces:
      return interfaces_text(said);
    case show_kind::drops:
      return drops_text(said);
    case show_kind::memory:
      return memory_text(said);
    default:
      return route_text(said);
  }
}

// Lists come page by page, everything else is one answer.
[[nodiscard]] std::string shown_by(show_options const& options, control_client& running) {
  if (options.is_list()) return listed_by(options, running);
  auto const said = running.ask({.command = options.command(), .arguments = options.arguments});
  return options.prints_json ? said.dump(2) + '\n' : text_of_answer(options, said);
}

}  // namespace

int run_show(invocation const& call) {
  auto const options = parse_show_options(call);
  control_client running{options.control};
  fmt::print("{}", shown_by(options, running));
  return exit_success;
}

}  // namespace packetwarp
