// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/ask/task.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "base/error.h"
#include "cli/control/control_client.h"
#include "cli/option_values.h"
#include "module/client/cells.h"

namespace packetwarp {
namespace {

struct task_options {
  client_task const* what{};
  std::string command;  // of the request
  std::map<std::string, std::string> arguments;
  std::uint64_t limit{1000};  // rows
  std::optional<std::string> control;
  bool prints_json{};
};

[[nodiscard]] std::string names_of(std::span<client_task const> tasks) {
  std::string all;
  for (auto const& one : tasks) all.append(all.empty() ? "" : ", ").append(one.name);
  return all;
}

[[nodiscard]] client_task const& task_called(std::string_view word, client_command const& of) {
  for (auto const& one : of.tasks) {
    if (one.name == word) return one;
  }
  throw usage_error(
      fmt::format("{0} '{1}': give one of {2}; 'packetwarp {0} --help' says more", of.name, word, names_of(of.tasks)));
}

[[nodiscard]] task_options parse_task(client_command const& of, invocation const& given) {
  auto call = with_words_as_options(given);
  if (call.options.empty()) {
    throw usage_error(
        fmt::format("{0}: give one of {1}; 'packetwarp {0} --help' says more", of.name, names_of(of.tasks)));
  }
  task_options options;
  options.what = &task_called(call.options.front(), of);
  options.command = fmt::format("{} {}", of.name, options.what->name);
  call.options.erase(call.options.begin());
  auto const known = options.what->options;
  std::vector<std::optional<std::string>> values(known.size());
  std::optional<std::string> limit;
  CLI::App app;
  app.add_flag("--json", options.prints_json);
  app.add_option("--control", options.control);
  if (options.what->rows != nullptr) app.add_option("--limit", limit);
  for (std::size_t i = 0; i < known.size(); ++i) app.add_option(fmt::format("--{}", known[i].name), values[i]);
  parse_options(app, call);
  take_count(limit, "--limit", 1, no_most, options.limit);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!values[i]) continue;
    bool const is_path = known[i].is == client_option::kind::path;
    options.arguments[std::string{known[i].name}] =
        is_path ? std::filesystem::absolute(*values[i]).string() : *values[i];
  }
  return options;
}

[[nodiscard]] json all_rows(task_options const& options, std::string const& rows, control_client& running) {
  request asked{.command = options.command, .arguments = options.arguments};
  auto all = json::array();
  for (bool has_more = true; has_more && all.size() < options.limit;) {
    auto const page = running.ask(asked);
    for (auto const& one : rows_of(page, rows.c_str())) {
      if (all.size() < options.limit) all.push_back(one);
    }
    has_more = page.contains("next");
    if (has_more) asked.arguments["from"] = page.at("next").get<std::string>();
  }
  return all;
}

[[nodiscard]] std::string line_of(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

[[nodiscard]] std::string list_text(task_options const& options, control_client& running) {
  auto const how = options.what->rows();
  std::string const key{how.rows};
  auto all = all_rows(options, key, running);
  if (options.prints_json) return json{{key, std::move(all)}}.dump(2) + '\n';
  auto text = line_of(how.heading);
  for (auto const& one : all) text += line_of(how.line(one));
  return text;
}

}  // namespace

control_client_limits limits_for(request_effect effect) {
  return effect == request_effect::reads ? limits_of_readers : control_client_limits{};
}

std::string answer_to_task(client_command const& of, invocation const& call) {
  auto const options = parse_task(of, call);
  control_client running{options.control, limits_for(options.what->effect)};
  if (options.what->rows != nullptr) return understood([&] { return list_text(options, running); });
  auto const said = running.ask({.command = options.command, .arguments = options.arguments});
  return options.prints_json ? said.dump(2) + '\n' : understood([&] { return options.what->text(said); });
}

}  // namespace packetwarp
