// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "regex/positions/graph.h"
#include "regex/syntax/byte_set.h"

namespace packetwarp::regex {

// A position of an expression takes a byte (Glushkov's automaton, which has no empty steps). All assertions are
// resolved: beside an assertion, positions are divided by the kinds of bytes that it tells apart (letters of words,
// newlines, others), and only pairs that fulfil it are connected. An assertion at the end of a match becomes a position
// that takes the byte after the match.
struct position {
  byte_set bytes{};
  bool accepts{};         // once its byte is taken, the expression matches
  bool accepts_at_end{};  // the same if the text ends there
  std::vector<std::uint32_t> next{};
};

// The first is the begin of a text and takes no byte. Each leads to a match, apart from the first if nothing matches.
// The others are in the order of the expression, as far as it has one.
using positions = std::vector<position>;

inline constexpr std::uint32_t most_positions = 2048;

// Throws refused if there are more, or at the bound of empty_steps.h.
[[nodiscard]] positions resolve(graph const& of);

}  // namespace packetwarp::regex
