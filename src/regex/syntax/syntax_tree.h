// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "regex/syntax/byte_set.h"

namespace packetwarp::regex {

// Conditions on a place between two bytes of a text.
enum class assertion : std::uint8_t {
  text_begin,           // \A, and ^ without m
  line_begin,           // ^ with m: after a newline that is not the text's last byte, too
  text_end,             // \z
  end_or_last_newline,  // \Z, and $ without m
  line_end,             // $ with m
  word_edge,            // \b
  no_word_edge,         // \B
  word_begin,           // [[:<:]]
  word_end,             // [[:>:]]
};

enum class syntax_kind : std::uint8_t { empty, bytes, place, sequence, choice, repetition };

inline constexpr std::uint32_t unbounded = ~std::uint32_t{0};

struct syntax_node {
  syntax_kind kind{};
  assertion place{};                      // of a place
  std::uint32_t set{};                    // of bytes: which of the tree's sets
  std::uint32_t least{};                  // of a repetition
  std::uint32_t most{};                   // of a repetition; unbounded: no bound
  std::vector<std::uint32_t> children{};  // of the last three kinds
};

// An expression. Groups have left no trace in it: no answer says which text they match.
struct syntax_tree {
  std::vector<syntax_node> nodes{};
  std::vector<byte_set> sets{};  // each once
  std::uint32_t root{};
  bool is_anchored{};  // by the modifier A: a match begins where the text does

  std::uint32_t add(syntax_node made) {
    nodes.push_back(std::move(made));
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
  std::uint32_t add_set(byte_set const& set) {
    auto const found = std::find(sets.begin(), sets.end(), set);
    auto const number = static_cast<std::uint32_t>(found - sets.begin());
    if (found == sets.end()) sets.push_back(set);
    return number;
  }
};

}  // namespace packetwarp::regex
