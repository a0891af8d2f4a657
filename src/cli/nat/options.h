// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "cli/command.h"

namespace packetwarp {

enum class nat_task : std::uint8_t { sessions, stats, save };

struct nat_options {
  nat_task what{};
  std::map<std::string, std::string> arguments;  // of the request
  std::uint64_t limit{1000};                     // sessions
  std::optional<std::string> control;
  bool prints_json{};
};

// Throws usage_error with one line.
[[nodiscard]] nat_options parse_nat_options(invocation const& call);

}  // namespace packetwarp
