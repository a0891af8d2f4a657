// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/top/options.h"

#include <unistd.h>

#include "cli/option_values.h"

namespace packetwarp {

top_options parse_top_options(invocation const& given) {
  auto const call = with_words_as_options(given);
  std::optional<std::string> period;
  bool once = false;
  top_options options;
  CLI::App app;
  app.add_option("--period", period);
  app.add_flag("--once", once);
  app.add_option("--control", options.control);
  parse_options(app, call);
  take_duration(period, "--period", options.period);
  constexpr std::chrono::milliseconds least{100};
  constexpr std::chrono::hours most{1};
  if (options.period < least || options.period > most) {
    throw usage_error(fmt::format("--period: {} is out of range; allowed are 100ms to 1h", *period));
  }
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) options.output = top_output::plain;
  if (once) options.output = top_output::once;
  return options;
}

}  // namespace packetwarp
