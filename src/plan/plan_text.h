// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>

#include "base/error.h"

namespace packetwarp {

// Words that steps of a plan share.

[[noreturn]] inline void refuse_at(std::string const& place, std::string const& why) {
  throw usage_error(fmt::format("{}: {}", place, why));
}

// "0, 2, 5"
[[nodiscard]] inline std::string in_words(std::set<unsigned> const& numbers) {
  std::string text;
  for (auto const n : numbers) text += fmt::format("{}{}", text.empty() ? "" : ", ", n);
  return text;
}

}  // namespace packetwarp
