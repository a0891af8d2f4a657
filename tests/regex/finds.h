// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

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

}  // namespace packetwarp::regex
