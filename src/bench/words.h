// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "base/error.h"
#include "executor/executor.h"
#include "memory/placement.h"
#include "plan/config.h"

namespace packetwarp::bench {

// The words that options and result files use for the varied settings of a case.
inline constexpr std::array executors{executor_kind::none, executor_kind::cpu, executor_kind::kernel,
                                      executor_kind::persistent, executor_kind::graph};
inline constexpr std::array placements{placement::host, placement::device, placement::split};
inline constexpr std::array arrangements{arrangement::run_to_completion, arrangement::pair, arrangement::pair_cpu,
                                         arrangement::isolated_rx};

// The element of `all` with this name. Throws usage_error that lists them.
template <class Enum, std::size_t N>
[[nodiscard]] Enum parse_word(std::string_view text, std::string_view what, std::array<Enum, N> const& all) {
  std::string allowed;
  for (auto const one : all) {
    if (text == to_string(one)) return one;
    allowed.append(allowed.empty() ? "" : ", ").append(to_string(one));
  }
  throw usage_error(fmt::format("{}: '{}' is not one of {}", what, text, allowed));
}

}  // namespace packetwarp::bench
