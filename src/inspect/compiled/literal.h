// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "inspect/language/rule.h"

namespace packetwarp::inspect {

// The window by which packets for a rule are found.
struct literal_window {
  std::uint32_t kind{};  // of window_bytes()
  std::uint64_t bytes{};
};

// The content by which packets for the rule are found, or the part that its fast_pattern names: one that is not negated
// and has a rare window. Empty: no content has four bytes, or none but runs of zeroes and blanks.
[[nodiscard]] std::string literal_of(rule const& one);

// The window of literal_of(); nothing if that is empty.
[[nodiscard]] std::optional<literal_window> window_of(rule const& one);

}  // namespace packetwarp::inspect
