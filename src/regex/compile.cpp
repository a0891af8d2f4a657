// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/compile.h"

#include "regex/positions/byte_classes.h"
#include "regex/positions/graph.h"
#include "regex/positions/positions.h"
#include "regex/syntax/parser.h"
#include "regex/tables/bit_nfa.h"
#include "regex/tables/dfa.h"

namespace packetwarp::regex {

compiled compile(std::string_view pattern, std::string_view modifiers) {
  try {
    auto const found = resolve(write_out(parse(pattern, modifiers)));
    auto const classes = classes_of(found);
    if (auto made = make_dfa(found, classes)) return {std::move(*made), refusal::none};
    return {make_bit_nfa(found, classes), refusal::none};
  } catch (refused const& problem) {
    return {{}, problem.why};
  }
}

}  // namespace packetwarp::regex
