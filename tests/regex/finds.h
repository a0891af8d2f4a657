// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "regex/compile.h"
#include "regex/match.h"
#include "regex/positions/graph.h"
#include "regex/positions/positions.h"
#include "regex/syntax/parser.h"
#include "regex/tables/bit_nfa.h"

namespace packetwarp::regex {

[[nodiscard]] inline bool finds(compiled const& in, std::string_view text) {
  return matches(in.ref(), reinterpret_cast<std::byte const*>(text.data()), static_cast<std::uint32_t>(text.size()));
}

// As compile(), with a bit NFA where compile() prefers a DFA.
[[nodiscard]] inline compiled compile_bits(std::string_view pattern, std::string_view modifiers) {
  try {
    auto const found = resolve(write_out(parse(pattern, modifiers)));
    return {make_bit_nfa(found, classes_of(found)), refusal::none};
  } catch (refused const& problem) {
    return {{}, problem.why};
  }
}

// A text that the expression should match, by a way through its positions; longest: its bytes, after which there may be
// no match. below(n): a random number.
template <class Below>
[[nodiscard]] std::string walk(positions const& through, std::size_t longest, Below&& below) {
  std::string made;
  std::uint32_t at = 0;
  while (made.size() < longest && !through[at].accepts && !through[at].next.empty()) {
    if (through[at].accepts_at_end && below(4U) == 0) break;
    auto const& next = through[at].next;
    at = next[below(static_cast<std::uint32_t>(next.size()))];
    std::vector<char> bytes;
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (through[at].bytes.has(byte)) bytes.push_back(static_cast<char>(byte));
    }
    made.push_back(bytes[below(static_cast<std::uint32_t>(bytes.size()))]);
  }
  return made;
}

}  // namespace packetwarp::regex
