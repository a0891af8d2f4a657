// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace packetwarp::model {

// A name out of a file, for a line of text: other characters than ASCII's printable ones become '?', and a long name
// ends in "...".
[[nodiscard]] inline std::string printable(std::string_view name) {
  constexpr std::size_t most = 100;
  std::string made{name.substr(0, most)};
  std::replace_if(
      made.begin(), made.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return name.size() > most ? made + "..." : made;
}

}  // namespace packetwarp::model
