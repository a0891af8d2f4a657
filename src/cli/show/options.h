// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "cli/command.h"
#include "module/client/shown_noun.h"

namespace packetwarp {

struct show_options {
  shown_noun const* what{};
  std::map<std::string, std::string> arguments;  // of the request
  std::uint64_t limit{1000};                     // rows
  std::optional<std::string> control;
  bool prints_json{};

  // The request's command: "show interfaces".
  [[nodiscard]] std::string command() const;
  // Whether the answer comes page by page.
  [[nodiscard]] bool is_list() const;
};

// Throws usage_error with one line.
[[nodiscard]] show_options parse_show_options(invocation const& call);

}  // namespace packetwarp
