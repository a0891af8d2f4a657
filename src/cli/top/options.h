// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/command.h"

namespace packetwarp {

enum class top_output : std::uint8_t { screen, plain, once };

struct top_options {
  std::chrono::nanoseconds period{std::chrono::seconds{1}};
  top_output output{top_output::screen};
  std::optional<std::string> control;
};

// The output is plain if standard input or output is no terminal. Throws usage_error with one line.
[[nodiscard]] top_options parse_top_options(invocation const& call);

}  // namespace packetwarp
