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

// The bytes by which the rule is found: its fast_pattern, or its longest content that is not negated. Empty: it has
// none.
[[nodiscard]] std::string literal_of(rule const& one);

// From the rule's fast_pattern, or the longest content that is not negated. Empty: no content has four bytes.
[[nodiscard]] std::optional<literal_window> window_of(rule const& one);

}  // namespace packetwarp::inspect
