// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace packetwarp::flow {

// A part of a rule: an item of its pattern or one of its actions, by position. With neither, the whole rule.
struct rule_part {
  std::optional<std::size_t> item{};
  std::optional<std::size_t> action{};
};

// "flows.txt:7:41": the part's place in the file that the rule was read from.
[[nodiscard]] std::string place_of(std::filesystem::path const& file, std::size_t line, rule_part part);

}  // namespace packetwarp::flow
