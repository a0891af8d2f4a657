// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/ask/ask.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/ask/task.h"
#include "cli/control/control_client.h"
#include "module/modules.h"

namespace packetwarp {
namespace {

struct text_words {
  std::optional<std::string> control;
  std::string text;
};

// A module's language has no words that begin with dashes, so the single option may stand anywhere.
[[nodiscard]] text_words take_words(std::string_view command, std::vector<std::string> const& words) {
  constexpr std::string_view option = "--control";
  text_words made{.control = {}, .text = std::string{command}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view const word{words[i]};
    bool const has_path = word.starts_with(option) && word.substr(option.size()).starts_with('=');
    if (word == option || has_path) {
      if (made.control) throw usage_error("--control is given twice; give it once");
      if (!has_path && ++i == words.size()) throw usage_error("--control: give the path of the control socket");
      made.control = has_path ? word.substr(option.size() + 1) : std::string_view{words[i]};
    } else {
      made.text.append(" ").append(word);
    }
  }
  return made;
}

[[nodiscard]] std::string answer_to_text(client_command const& of, invocation const& call) {
  auto const words = take_words(of.name, with_words_as_options(call).options);
  control_client running{words.control, limits_for(of.check(words.text))};
  auto const said = running.ask({.command = std::string{of.name}, .arguments = {{"text", words.text}}});
  return understood([&] { return said.at("text").get<std::string>(); });
}

[[nodiscard]] client_command const& command_called(std::string_view name) {
  for (auto const* const kind : module_kinds()) {
    for (auto const& one : kind->facts().client.commands) {
      if (one.name == name) return one;
    }
  }
  throw usage_error(fmt::format("{}: no module has such a command", name));
}

int run_module_command(invocation const& call) {
  auto const& what = command_called(call.command);
  fmt::print("{}", what.tasks.empty() ? answer_to_text(what, call) : answer_to_task(what, call));
  return exit_success;
}

}  // namespace

std::vector<command> module_commands() {
  std::vector<command> all;
  auto const kinds = module_kinds();
  for (auto kind = std::make_reverse_iterator(kinds.end()); kind != std::make_reverse_iterator(kinds.begin()); ++kind) {
    for (auto const& one : (*kind)->facts().client.commands) {
      all.push_back({one.name, one.summary, one.page, run_module_command});
    }
  }
  return all;
}

std::vector<std::string_view> words_of_networks() {
  std::vector<std::string_view> all{"workers", "reload", "drain", "show"};
  for (auto const& one : module_commands()) all.push_back(one.name);
  return all;
}

}  // namespace packetwarp
