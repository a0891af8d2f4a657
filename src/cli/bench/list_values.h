// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/option_values.h"

namespace packetwarp::bench {

// "16,32,64": each part is parsed by `parse`, and no two are equal, because equal parts would be one case.
template <class T, class Parse>
void take_list(std::optional<std::string> const& text, std::string_view what, std::vector<T>& into, Parse parse) {
  if (!text) return;
  into.clear();
  std::string_view rest = *text;
  while (true) {
    auto const end = std::min(rest.find(','), rest.size());
    auto const part = std::string{rest.substr(0, end)};
    T one = parse(part);
    if (std::find(into.begin(), into.end(), one) != into.end()) {
      throw usage_error(fmt::format("{}: '{}' is there twice in {}; give each once", what, part, *text));
    }
    into.push_back(std::move(one));
    if (end == rest.size()) return;
    rest.remove_prefix(end + 1);
  }
}

// A count within bounds, as a value of its own.
template <class T>
[[nodiscard]] T parse_within(std::string const& text, std::string_view what, std::uint64_t least, std::uint64_t most) {
  T value{};
  take_count(text, what, least, most, value);
  return value;
}

}  // namespace packetwarp::bench
