// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "burst/verdict.h"
#include "function/chain.h"
#include "function/function_facts.h"

// Drop reasons of a stage in chains that number them differently.
namespace packetwarp::test {

// The reason of chain Whole with this name that this stage gives.
template <class Whole>
[[nodiscard]] drop_reason reason_in(std::string_view stage, std::string_view name) {
  for (std::size_t n = 0; n < Whole::drop_names.size(); ++n) {
    if (Whole::drop_stages[n] == stage && Whole::drop_names[n] == name) {
      return function_drop(static_cast<std::uint16_t>(n));
    }
  }
  throw std::logic_error{"the chain has no such drop name"};
}

// Converts a verdict of chain Part to that of chain Whole, which has its stages.
template <class Whole, class Part>
[[nodiscard]] verdict as_of(verdict said) {
  constexpr auto first = static_cast<std::size_t>(drop_reason::first_of_function);
  auto const why = static_cast<std::size_t>(said.why());
  if (said.what() != verdict::action::drop || why < first) return said;
  auto const& part = facts_of<Part>;
  return verdict::drop(reason_in<Whole>(part.drop_stages[why - first], part.drop_names[why - first]), said.move());
}

// Sets the tables of one stage.
template <class S, class Ref>
void set_stage(Ref& tables, typename S::ref const& to) {
  static_cast<chain_parts::stage_ref<S>&>(tables).value = to;
}

enum class stage_switch : std::uint32_t { off, on };

}  // namespace packetwarp::test
