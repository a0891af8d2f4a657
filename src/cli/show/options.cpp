// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/show/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

#include "cli/option_values.h"

namespace packetwarp {
namespace {

// In the order of show_kind.
constexpr std::array<std::string_view, 7> show_nouns{"interfaces", "routes", "neighbours", "nat",
                                                     "rules",      "drops",  "memory"};

[[nodiscard]] show_kind kind_called(std::string_view word) {
  for (std::size_t i = 0; i < show_nouns.size(); ++i) {
    if (word == show_nouns[i]) return static_cast<show_kind>(i);
  }
  throw usage_error(
      fmt::format("show '{}': give one of {}; 'packetwarp show --help' says more", word, fmt::join(show_nouns, ", ")));
}

[[nodiscard]] bool has_pages(show_kind what) {
  return what == show_kind::routes || what == show_kind::neighbours || what == show_kind::nat ||
         what == show_kind::rules;
}

}  // namespace

std::string show_options::command() const { return fmt::format("show {}", show_nouns[static_cast<std::size_t>(what)]); }

bool show_options::is_list() const { return has_pages(what) && !arguments.contains("to"); }

show_options parse_show_options(invocation const& given) {
  auto call = with_words_as_options(given);
  if (call.options.empty()) {
    throw usage_error(
        fmt::format("show: give one of {}; 'packetwarp show --help' says more", fmt::join(show_nouns, ", ")));
  }
  show_options options;
  options.what = kind_called(call.options.front());
  call.options.erase(call.options.begin());
  std::optional<std::string> limit, from, to;
  bool wants_all = false;
  CLI::App app;
  app.add_flag("--json", options.prints_json);
  app.add_option("--control", options.control);
  if (has_pages(options.what)) {
    app.add_option("--limit", limit);
    app.add_option("--from", from);
  }
  if (options.what == show_kind::routes) app.add_option("to", to);
  if (options.what == show_kind::drops) app.add_flag("--all", wants_all);
  parse_options(app, call);
  if (to && (from || limit)) {
    throw usage_error(
        "show routes: --from and --limit are for the list of routes, and an address or prefix is for one; "
        "leave one or the other out");
  }
  take_count(limit, "--limit", 1, no_most, options.limit);
  if (from) options.arguments["from"] = *from;
  if (to) options.arguments["to"] = *to;
  if (wants_all) options.arguments["all"] = "yes";
  return options;
}

}  // namespace packetwarp
