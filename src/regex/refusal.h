// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace packetwarp::regex {

// Why an expression has no automaton.
enum class refusal : std::uint8_t {
  none,
  not_an_expression,
  back_reference,
  look_ahead,
  look_behind,
  atomic_group,
  possessive_quantifier,
  recursion,
  condition,
  verb,
  callout,
  branch_reset,
  extended_more,
  modifier,
  repeated_word_edge,
  skipped_group,
  no_space_beside_blank,
  match_begin,
  newline_sequence,
  grapheme,
  property,
  code_unit,
  long_pattern,
  deep_groups,
  expanded_size,
  positions,
  exceptions,
};
inline constexpr std::size_t refusals = 27;

// The construct's or the bound's name, for tables and messages.
[[nodiscard]] std::string_view name_of(refusal why);

// Thrown within the compiler; compile() catches it.
struct refused {
  refusal why;
};

}  // namespace packetwarp::regex
