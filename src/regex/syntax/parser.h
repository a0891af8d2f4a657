// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "regex/syntax/syntax_tree.h"

namespace packetwarp::regex {

inline constexpr std::size_t longest_pattern = 8192;
inline constexpr unsigned deepest_group = 250;  // PCRE2's own bound

// Reads an expression as PCRE2 10.42 does, without UTF. modifiers: letters out of i, s, m, x, A, E and G (ungreedy).
// Greedy, lazy and ungreedy are alike here, as are groups of all kinds that capture. Throws refused for constructs
// without an automaton, and for most errors of PCRE2's.
[[nodiscard]] syntax_tree parse(std::string_view pattern, std::string_view modifiers);

}  // namespace packetwarp::regex
