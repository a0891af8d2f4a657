// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/function_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "function/compiled.h"
#include "function/general.h"

namespace packetwarp {
namespace {

using facts_pointer = function_facts const*;

template <class... Functions>
[[nodiscard]] constexpr auto special_facts(function_list<Functions...>) {
  std::array<facts_pointer, (std::size_t{!is_general<Functions>} + ...)> all{};
  std::size_t count = 0;
  auto const add = [&]<class F>(std::type_identity<F>) {
    if constexpr (!is_general<F>) all[count++] = &facts_of<F>;
  };
  (add(std::type_identity<Functions>{}), ...);
  return all;
}

template <class F>
inline constexpr std::size_t parts_of = 0;
template <class F>
requires is_general<F>
inline constexpr std::size_t parts_of<F> = general_parts<F>::count;

// The parts of all general chains; the parts of one chain are adjacent.
template <class... Functions>
[[nodiscard]] constexpr auto parts_of_general(function_list<Functions...>) {
  std::array<facts_pointer, (parts_of<Functions> + ...)> all{};
  auto* at = all.data();
  auto const add = [&]<class F>(std::type_identity<F>) {
    if constexpr (is_general<F>) at = std::copy(general_parts<F>::all.begin(), general_parts<F>::all.end(), at);
  };
  (add(std::type_identity<Functions>{}), ...);
  return all;
}

template <class... Functions>
[[nodiscard]] constexpr auto whole_general(function_list<Functions...>) {
  std::array<facts_pointer, (std::size_t{is_general<Functions>} + ...)> all{};
  std::size_t count = 0;
  auto const add = [&]<class F>(std::type_identity<F>) {
    if constexpr (is_general<F>) all[count++] = general_parts<F>::all.back();
  };
  (add(std::type_identity<Functions>{}), ...);
  return all;
}

constexpr auto facts_of_special = special_facts(compiled_functions{});
constexpr auto facts_of_parts = parts_of_general(compiled_functions{});
constexpr auto facts_of_general = whole_general(compiled_functions{});

[[nodiscard]] facts_pointer find(std::span<facts_pointer const> among, std::span<std::string_view const> stages) {
  auto const found = std::find_if(among.begin(), among.end(),
                                  [&](auto const* one) { return std::ranges::equal(one->stages, stages); });
  return found == among.end() ? nullptr : *found;
}

}  // namespace

std::span<function_facts const* const> compiled_function_facts() { return facts_of_special; }
std::span<function_facts const* const> general_function_facts() { return facts_of_general; }

function_facts const* find_special(std::span<std::string_view const> stages) { return find(facts_of_special, stages); }
function_facts const* find_general(std::span<std::string_view const> stages) { return find(facts_of_parts, stages); }

function_facts const& compiled_function(std::span<std::string_view const> stages) {
  if (auto const* const one = find_special(stages)) return *one;
  if (auto const* const part = find_general(stages)) return *part;
  std::string asked;
  for (auto const stage : stages) asked.append(asked.empty() ? "" : ", ").append(stage);
  throw failure(
      fmt::format("no function is compiled of the stages {}; src/function/chains.cmake lists those that are", asked));
}

}  // namespace packetwarp
