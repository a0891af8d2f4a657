// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/rule.h"
#include "function/rules/rules_table.h"

namespace packetwarp::flow {

// The demands of a pattern on packets, as words of their headers.
struct compiled_pattern {
  std::uint32_t facts_mask{};
  std::uint32_t facts{};
  std::vector<rules_key_word> words;
  std::vector<rules_range> ranges;
};

// Throws usage_error with the item, and a remedy.
[[nodiscard]] compiled_pattern compile_pattern(std::span<item const> pattern);

}  // namespace packetwarp::flow
