// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/function_facts.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "function/compiled.h"

namespace packetwarp {
namespace {

template <class... Functions>
[[nodiscard]] constexpr std::array<function_facts const*, sizeof...(Functions)> all_facts(function_list<Functions...>) {
  return {&facts_of<Functions>...};
}
constexpr auto compiled = all_facts(compiled_functions{});

}  // namespace

std::span<function_facts const* const> compiled_function_facts() { return compiled; }

function_facts const& compiled_function(std::span<std::string_view const> stages) {
  for (auto const* one : compiled) {
    if (std::ranges::equal(one->stages, stages)) return *one;
  }
  std::string asked;
  for (auto const stage : stages) asked.append(asked.empty() ? "" : ", ").append(stage);
  throw failure(
      fmt::format("no function is compiled of the stages {}; src/function/chains.cmake lists those that are", asked));
}

}  // namespace packetwarp
