// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "regex/syntax/pattern_reader.h"

namespace packetwarp::regex {

// How often a quantifier repeats, and the length of its text without ? or + after it.
struct repetition {
  std::uint32_t least;
  std::uint32_t most;  // unbounded (syntax_tree.h): no bound
  std::size_t length;
};

// The quantifier that is next, which is not read. A brace that begins none is a literal. Throws refused for a number
// that PCRE2 refuses.
[[nodiscard]] std::optional<repetition> repetition_at(pattern_reader const& from);

enum class group_kind : std::uint8_t { captures, plain, options };

struct group_begin {
  group_kind kind;
  modes within;  // of options: of the rest of the group that they stand in
};

// Reads what follows a ( up to the group's own text; of options, with their ). Throws refused.
[[nodiscard]] group_begin read_group_begin(pattern_reader& from, modes const& now);

}  // namespace packetwarp::regex
