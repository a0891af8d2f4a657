// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/nat/options.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "cli/option_values.h"

namespace packetwarp {
namespace {

constexpr std::array<std::string_view, 3> tasks{"sessions", "stats", "save"};

[[nodiscard]] nat_task task_of(std::string_view word) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (word == tasks[i]) return static_cast<nat_task>(i);
  }
  throw usage_error(
      fmt::format("nat '{}': give one of sessions, stats, save; 'packetwarp nat --help' says more", word));
}

}  // namespace

nat_options parse_nat_options(invocation const& given) {
  auto call = with_words_as_options(given);
  if (call.options.empty())
    throw usage_error("nat: give one of sessions, stats, save; 'packetwarp nat --help' says more");
  nat_options options;
  options.what = task_of(call.options.front());
  call.options.erase(call.options.begin());
  std::optional<std::string> inside, outside, protocol, limit, file;
  CLI::App app;
  app.add_flag("--json", options.prints_json);
  app.add_option("--control", options.control);
  if (options.what == nat_task::sessions) {
    app.add_option("--inside", inside);
    app.add_option("--outside", outside);
    app.add_option("--protocol", protocol);
    app.add_option("--limit", limit);
  }
  if (options.what == nat_task::save) app.add_option("--file", file);
  parse_options(app, call);
  take_count(limit, "--limit", 1, no_most, options.limit);
  // Another process opens the file, which has a current folder of its own.
  if (file) file = std::filesystem::absolute(*file).string();
  for (auto const& [name, value] : {std::pair{"inside", inside}, std::pair{"outside", outside},
                                    std::pair{"protocol", protocol}, std::pair{"file", file}}) {
    if (value) options.arguments[name] = *value;
  }
  return options;
}

}  // namespace packetwarp
