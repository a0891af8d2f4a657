// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "module/client/listing.h"
#include "request/request.h"

namespace packetwarp {

// A noun of `packetwarp show`: "routes" asks a running packetwarp for "show routes".
struct shown_noun {
  std::string_view name;
  std::string_view help;  // its lines on the help page, each with its end
  // The form of rows that come page by page. nullptr if the answer comes whole.
  listing (*rows)(){};
  // The text of a whole answer: the noun's, or the answer to a word after the noun, which asks for one row.
  std::string (*text)(json const& said){};
  std::string_view one_row{};        // "ADDRESS | PREFIX": words of the usage for that one
  std::string_view one_row_words{};  // "an address or prefix": the same in a sentence
  // The place that --from names in a list, in a sentence: "prefix". Empty: the number of a row.
  std::string_view place{};
  // The rows' name, if a list is of one moment: "routes". Empty if rows are read one after the other.
  std::string_view of_one_moment{};
  // The name of an argument without a value: "all" is --all.
  std::string_view flag{};
};

}  // namespace packetwarp
