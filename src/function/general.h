// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <string_view>
#include <utility>

#include "function/chain.h"
#include "function/function_facts.h"

// The parts of a general chain (function/chains.cmake): the chain with some of its switched stages on. Each part has
// facts of its own, so plans and reports see only the stages that are on.
namespace packetwarp {

template <class F>
inline constexpr bool is_general = false;
template <class... Stages>
inline constexpr bool is_general<chain<Stages...>> = (chain_parts::is_switched<Stages> || ...);

namespace general_chain {

using chain_parts::stage_set;

// The drop names, or their stages, of stages that are on; the other places are empty, because the compiled chain
// numbers the reasons.
template <class Names>
[[nodiscard]] constexpr Names of_stages_on(Names const& all, Names const& stages, auto const& on) {
  Names left{};
  for (std::size_t n = 0; n < all.size(); ++n) {
    for (auto const stage : on) {
      if (stages[n] == stage) left[n] = all[n];
    }
  }
  return left;
}

template <stage_set On, class... Stages>
[[nodiscard]] constexpr table_care care_of_stages_on() {
  stage_set bit = 1;
  bool is_swept = false;
  ((is_swept = is_swept || ((On & bit) != 0 && care_of<Stages> == table_care::swept), bit <<= 1), ...);
  return is_swept ? table_care::swept : table_care::none;
}

template <stage_set On, class... Stages>
[[nodiscard]] constexpr table_share share_of_stages_on() {
  stage_set bit = 1;
  bool is_divided = false;
  ((is_divided = is_divided || ((On & bit) != 0 && share_of<Stages> == table_share::divided), bit <<= 1), ...);
  return is_divided ? table_share::divided : table_share::copied;
}

template <class... Stages>
[[nodiscard]] constexpr stage_set switches_of() {
  stage_set bit = 1;
  stage_set all = 0;
  ((all |= chain_parts::is_switched<Stages> ? bit : 0, bit <<= 1), ...);
  return all;
}

// The stages of the n-th part: bit i of n is the i-th switch.
template <class... Stages>
[[nodiscard]] constexpr stage_set part_of(std::size_t n) {
  constexpr auto switches = switches_of<Stages...>();
  auto on = chain_parts::all_of<Stages...> & ~switches;
  for (stage_set bit = 1; bit <= switches; bit <<= 1) {
    if ((switches & bit) == 0) continue;
    if ((n & 1) != 0) on |= bit;
    n >>= 1;
  }
  return on;
}

// The chain with the stages in On.
template <stage_set On, class... Stages>
struct part {
  using whole = chain<Stages...>;
  static constexpr auto stage_names = chain_parts::names_of<On, Stages...>();
  static constexpr auto name_text = chain_parts::joined_names<On, Stages...>();
  static constexpr auto drop_names = of_stages_on(whole::drop_names, whole::drop_stages, stage_names);
  static constexpr auto drop_stages = of_stages_on(whole::drop_stages, whole::drop_stages, stage_names);
};

template <stage_set On, class... Stages>
[[nodiscard]] constexpr function_facts facts_of_part() {
  using of = part<On, Stages...>;
  auto made = facts_of<typename of::whole>;
  made.name = {of::name_text.data(), of::name_text.size()};
  made.stages = of::stage_names;
  made.drop_names = of::drop_names;
  made.drop_stages = of::drop_stages;
  made.care = care_of_stages_on<On, Stages...>();
  made.share = share_of_stages_on<On, Stages...>();
  made.part_of = of::whole::stage_names;
  return made;
}
template <stage_set On, class... Stages>
inline constexpr function_facts part_facts = facts_of_part<On, Stages...>();

template <class... Stages, std::size_t... N>
[[nodiscard]] constexpr auto all_parts(std::index_sequence<N...>) {
  return std::array<function_facts const*, sizeof...(N)>{&part_facts<part_of<Stages...>(N), Stages...>...};
}

}  // namespace general_chain

// All parts of F; the last one has all stages.
template <class F>
struct general_parts;
template <class... Stages>
struct general_parts<chain<Stages...>> {
  static constexpr std::size_t count = std::size_t{1} << std::popcount(general_chain::switches_of<Stages...>());
  static constexpr auto all = general_chain::all_parts<Stages...>(std::make_index_sequence<count>{});
};

// Whether these are the facts of F or of a part of F.
template <class F>
[[nodiscard]] constexpr bool are_facts_of(function_facts const& which) {
  if constexpr (is_general<F>) {
    for (auto const* const part : general_parts<F>::all) {
      if (part == &which) return true;
    }
    return false;
  } else {
    return &which == &facts_of<F>;
  }
}

}  // namespace packetwarp
