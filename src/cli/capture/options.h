// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"

namespace packetwarp {

inline constexpr std::string_view capture_to_standard_output = "-";

struct capture_options {
  std::map<std::string, std::string> arguments;  // of the request, except the stream
  std::string file;                              // or "-"
  std::chrono::nanoseconds duration{0};          // 0: until another limit ends the capture
  std::optional<std::string> control;
};

// Throws usage_error with one line.
[[nodiscard]] capture_options parse_capture_options(invocation const& call);

}  // namespace packetwarp
