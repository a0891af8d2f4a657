// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "function/function.h"

namespace packetwarp {

// The facts about a compiled function for code that does not know its type: plans, reports, and the choice of a
// function. Each function F has one object, facts_of<F>, and each part of a general chain has one, so equal addresses
// mean the same function.
struct function_facts {
  std::string_view name;                          // as in reports
  std::span<std::string_view const> stages;       // names, in the order of the chain; a function alone has its own
  std::span<std::string_view const> drop_names;   // names of its own reasons, by position; empty: it gives none of them
  std::span<std::string_view const> drop_stages;  // the stage that gives each of these reasons
  departure leaves;
  payload_reach reach;
  table_care care;
  table_share share;
  frame_change change{frame_change::by_tables};
  std::size_t room_bytes{};  // shared memory for a group of packets that it works on together; 0 for none
  bool goes_in_step{};       // whether the groups of a block wait for one another (function.h)
  // Whether it needs kernels of its own on a GPU, beside an executor's kernels.
  bool has_own_kernels{};
  // The stages of the general chain (general.h) that it is a part of; empty for a function that is compiled by itself.
  std::span<std::string_view const> part_of{};

  [[nodiscard]] constexpr bool needs_tables() const { return change == frame_change::by_tables; }
  [[nodiscard]] constexpr bool has_stage(std::string_view stage) const {
    return std::find(stages.begin(), stages.end(), stage) != stages.end();
  }
};

// A function that is no chain has one stage: itself.
template <class F>
inline constexpr std::array<std::string_view, 1> stage_names_of{F::name};
template <class F>
requires requires { F::stage_names; }
inline constexpr auto stage_names_of<F> = F::stage_names;

template <class F>
inline constexpr auto drop_stages_of = [] {
  std::array<std::string_view, F::drop_names.size()> all{};
  all.fill(F::name);
  return all;
}();
template <class F>
requires requires { F::drop_stages; }
inline constexpr auto drop_stages_of<F> = F::drop_stages;

template <packet_function F>
inline constexpr function_facts facts_of{.name = F::name,
                                         .stages = stage_names_of<F>,
                                         .drop_names = F::drop_names,
                                         .drop_stages = drop_stages_of<F>,
                                         .leaves = departs<F>,
                                         .reach = reaches_payload<F> ? payload_reach::payload : payload_reach::header,
                                         .care = care_of<F>,
                                         .share = share_of<F>,
                                         .change = change_of<F>,
                                         .room_bytes = shared_room_bytes_of<F>,
                                         .goes_in_step = packetwarp::goes_in_step<F>,
                                         .has_own_kernels = packetwarp::has_own_kernels<F>};

template <class... Functions>
struct function_list {};

// The facts of all functions that are compiled by themselves, in the order of chains.cmake. The first one is for runs
// that name no function.
[[nodiscard]] std::span<function_facts const* const> compiled_function_facts();
// The facts of each general chain with all of its stages.
[[nodiscard]] std::span<function_facts const* const> general_function_facts();

// The function with these stages, in this order, that is compiled by itself; nullptr if there is none.
[[nodiscard]] function_facts const* find_special(std::span<std::string_view const> stages);
// The part of a general chain with exactly these stages; nullptr if there is none.
[[nodiscard]] function_facts const* find_general(std::span<std::string_view const> stages);
// The special one or, if there is none, the general one. Throws failure if there is neither.
[[nodiscard]] function_facts const& compiled_function(std::span<std::string_view const> stages);

}  // namespace packetwarp
