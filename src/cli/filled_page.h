// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace packetwarp {

// A help page with texts in place of their names: "{name}".
[[nodiscard]] inline std::string filled_page(std::string_view page,
                                             std::vector<std::pair<std::string_view, std::string>> const& texts) {
  std::string made{page};
  for (auto const& [name, text] : texts) {
    auto const place = '{' + std::string{name} + '}';
    if (auto const at = made.find(place); at != std::string::npos) made.replace(at, place.size(), text);
  }
  return made;
}

}  // namespace packetwarp
