// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/compiled/automaton_image.h"

#include "regex/compile.h"

namespace packetwarp::inspect {
namespace {

// Whether one of these checks begins where the match before them ends.
[[nodiscard]] bool ask_for_place(compiled_check const* first, compiled_check const* end) {
  for (auto const* one = first; one != end; ++one) {
    if ((one->flags & check_flag::relative) != 0) return true;
    bool const is_searched = one->kind == check_kind::content || one->kind == check_kind::regex;
    bool const is_negated = (one->flags & check_flag::negated) != 0;
    if (one->kind == check_kind::byte_jump || (is_searched && !is_negated)) return false;
  }
  return false;
}

}  // namespace

bool automaton_image::add(compiled_rule const& rule, check_image const& checks) {
  bool has_all = add(rule.checks, checks);
  has_all = add(rule.name_checks, checks) && has_all;
  has_all = add(rule.dotted_checks, checks) && has_all;
  for (std::uint32_t i = 0; i < rule.buffers.count; ++i) {
    has_all = add(checks.buffers()[rule.buffers.offset + i].checks, checks) && has_all;
  }
  return has_all;
}

bool automaton_image::add(section const& chain, check_image const& checks) {
  bool has_all = true;
  auto const* const first = checks.checks().data() + chain.offset;
  auto const* const end = first + chain.count;
  for (auto const* one = first; one != end; ++one) {
    auto const& check = *one;
    if (check.kind != check_kind::regex) continue;
    auto const place = ask_for_place(one + 1, end) ? no_automaton : place_of(checks.regexes()[check.pattern]);
    places_[check.pattern] = place;
    has_all = has_all && place != no_automaton;
  }
  return has_all;
}

std::uint32_t automaton_image::place_of(regex_check const& check) {
  auto const [known, is_new] = of_expressions_.try_emplace({check.pattern, check.modifiers}, no_automaton);
  if (!is_new) return known->second;
  auto const made = regex::compile(check.pattern, check.modifiers);
  if (!made) return no_automaton;
  known->second = static_cast<std::uint32_t>(words_.size());
  words_.insert(words_.end(), made.words.begin(), made.words.end());
  return known->second;
}

std::vector<std::uint32_t> automaton_image::places(std::size_t expressions) const {
  std::vector<std::uint32_t> all(expressions, no_automaton);
  for (auto const& [number, place] : places_) all[number] = place;
  return all;
}

}  // namespace packetwarp::inspect
