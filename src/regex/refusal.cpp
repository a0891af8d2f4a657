// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/refusal.h"

#include <array>

namespace packetwarp::regex {

std::string_view name_of(refusal why) {
  static constexpr std::array<std::string_view, refusals> names{
      "none",
      "not an expression",
      "back-reference",
      "look-ahead",
      "look-behind",
      "atomic group",
      "possessive quantifier",
      "recursion",
      "condition (?(",
      "verb (*",
      "callout (?C",
      "branch reset (?|",
      "option xx",
      "modifier",
      "quantifier of [[:<:]] or [[:>:]]",
      "quantifier {0} of a group",
      "\\S together with \\h or \\v",
      "\\G",
      "\\R",
      "\\X",
      "\\p",
      "\\C",
      "more than 8,192 bytes",
      "groups deeper than 250",
      "more than 2,048 bytes when repetitions are written out",
      "more than 1,024 states and 512 positions",
      "more than 1,024 states and 64 kinds of exceptions",
  };
  static_assert(static_cast<std::size_t>(refusal::exceptions) + 1 == refusals);
  return names[static_cast<std::size_t>(why)];
}

}  // namespace packetwarp::regex
