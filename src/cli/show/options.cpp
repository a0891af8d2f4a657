// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/show/options.h"

#include <fmt/format.h>

#include <string_view>

#include "cli/option_values.h"
#include "cli/show/nouns.h"

namespace packetwarp {
namespace {

// The argument that asks for one row.
constexpr char one_row_argument[] = "to";

[[nodiscard]] std::string names_of_nouns() {
  std::string all;
  for (auto const& one : shown_nouns()) all.append(all.empty() ? "" : ", ").append(one.name);
  return all;
}

[[nodiscard]] shown_noun const& noun_called(std::string_view word) {
  for (auto const& one : shown_nouns()) {
    if (one.name == word) return one;
  }
  throw usage_error(
      fmt::format("show '{}': give one of {}; 'packetwarp show --help' says more", word, names_of_nouns()));
}

}  // namespace

std::string show_options::command() const { return fmt::format("show {}", what->name); }

bool show_options::is_list() const { return what->rows != nullptr && !arguments.contains(one_row_argument); }

show_options parse_show_options(invocation const& given) {
  auto call = with_words_as_options(given);
  if (call.options.empty()) {
    throw usage_error(fmt::format("show: give one of {}; 'packetwarp show --help' says more", names_of_nouns()));
  }
  show_options options;
  options.what = &noun_called(call.options.front());
  call.options.erase(call.options.begin());
  auto const& noun = *options.what;
  std::optional<std::string> limit, from, to;
  bool has_flag = false;
  CLI::App app;
  app.add_flag("--json", options.prints_json);
  app.add_option("--control", options.control);
  if (noun.rows != nullptr) {
    app.add_option("--limit", limit);
    app.add_option("--from", from);
  }
  if (!noun.one_row.empty()) app.add_option(one_row_argument, to);
  if (!noun.flag.empty()) app.add_flag(fmt::format("--{}", noun.flag), has_flag);
  parse_options(app, call);
  if (to && (from || limit)) {
    throw usage_error(
        fmt::format("show {0}: --from and --limit are for the list of {0}, and {1} is for one; leave one or the other "
                    "out",
                    noun.name, noun.one_row_words));
  }
  take_count(limit, "--limit", 1, no_most, options.limit);
  if (from) options.arguments["from"] = *from;
  if (to) options.arguments[one_row_argument] = *to;
  if (has_flag) options.arguments[std::string{noun.flag}] = "yes";
  return options;
}

}  // namespace packetwarp
