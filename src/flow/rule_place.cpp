// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/rule_place.h"

#include <fstream>
#include <string_view>

#include "flow/lexer.h"

namespace packetwarp::flow {
namespace {

// The column of the n-th part after `word`, counted in slashes; of the line's first word if that part does not exist.
[[nodiscard]] std::size_t column_behind(std::string_view line, std::string_view word, std::size_t n) {
  lexer words{line, {}};
  auto const first = words.next().column;
  while (!words.at_end() && words.take().text != word) {
  }
  for (; n > 0 && !words.at_end(); --n) {
    while (!words.at_end() && words.take().text != "/") {
    }
  }
  return words.at_end() ? first : words.next().column;
}

}  // namespace

std::string place_of(std::filesystem::path const& file, std::size_t line, rule_part part) {
  std::ifstream in{file};
  std::string text;
  for (std::size_t n = 0; n < line; ++n) std::getline(in, text);
  auto const column = part.item     ? column_behind(text, "pattern", *part.item)
                      : part.action ? column_behind(text, "actions", *part.action)
                                    : lexer{text, {}}.next().column;
  auto const name = file.string();
  return to_text({name, line}, column);
}

}  // namespace packetwarp::flow
