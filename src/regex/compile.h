// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "regex/automaton.h"
#include "regex/refusal.h"

namespace packetwarp::regex {

// An automaton that owns its memory, or the reason why there is none.
struct compiled {
  std::vector<std::uint64_t> words{};
  refusal why{};

  [[nodiscard]] explicit operator bool() const { return why == refusal::none; }
  [[nodiscard]] automaton_ref ref() const { return {reinterpret_cast<std::byte const*>(words.data())}; }
};

// Compiles an expression of PCRE's syntax for matches() in match.h, whose answer is that of PCRE2 10.42 (8-bit, without
// UTF, a newline is \n). modifiers: of i, s, m, x, A, E (DOLLAR_ENDONLY) and G (ungreedy). PCRE2 refuses some
// expressions that have an automaton here. Time and memory are bounded for any text: by the sizes in parser.h, graph.h,
// positions.h and automaton.h.
[[nodiscard]] compiled compile(std::string_view pattern, std::string_view modifiers);

}  // namespace packetwarp::regex
