// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/command.h"
#include "cli/control/control_client.h"
#include "flow/parser.h"

namespace packetwarp {
namespace {

struct flow_words {
  std::optional<std::string> control;
  std::string text{"flow"};
};

// Rules have no words with dashes in front, so the one option may stand anywhere.
[[nodiscard]] flow_words take_words(std::vector<std::string> const& words) {
  constexpr std::string_view option = "--control";
  flow_words made;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view const word{words[i]};
    if (word == option) {
      if (++i == words.size()) throw usage_error("--control: give the path of the control socket");
      made.control = words[i];
    } else if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) {
      made.control = word.substr(option.size() + 1);
    } else {
      made.text.append(" ").append(word);
    }
  }
  return made;
}

}  // namespace

int run_flow(invocation const& call) {
  auto const words = take_words(with_words_as_options(call).options);
  // An unknown command is reported whether a packetwarp runs or not.
  (void)flow::parse_command(words.text);
  control_client running{words.control};
  auto const said = running.ask({.command = "flow", .arguments = {{"text", words.text}}});
  fmt::print("{}", said.value("text", std::string{}));
  return exit_success;
}

}  // namespace packetwarp
