// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inspect/compiled/check_image.h"
#include "inspect/compiled/ruleset.h"

namespace packetwarp::inspect {

// Automata of expressions, by which executors without PCRE2 decide on them (src/regex).
class automaton_image {
 public:
  // Makes an automaton for each expression of the rule that can have one. An automaton says whether an expression
  // matches, and not where: a check to whose match a later one is relative has none. Whether all have one.
  bool add(compiled_rule const& rule, check_image const& checks);

  // By number of the expression: the place of its automaton among words(), or no_automaton.
  [[nodiscard]] std::vector<std::uint32_t> places(std::size_t expressions) const;
  [[nodiscard]] std::vector<std::uint64_t> const& words() const { return words_; }

 private:
  [[nodiscard]] bool add(section const& chain, check_image const& checks);
  [[nodiscard]] std::uint32_t place_of(regex_check const& check);

  std::map<std::uint32_t, std::uint32_t> places_;                                // by number of the expression
  std::map<std::pair<std::string, std::string>, std::uint32_t> of_expressions_;  // by pattern and modifiers
  std::vector<std::uint64_t> words_;
};

}  // namespace packetwarp::inspect
