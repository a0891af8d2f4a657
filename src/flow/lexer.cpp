// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/lexer.h"

#include <fmt/format.h>

#include "base/error.h"

namespace packetwarp::flow {
namespace {

constexpr std::size_t longest_word = 40;

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Words are echoed in errors: characters that a terminal might obey are replaced, and long words are cut.
std::string printable(std::string_view word, std::size_t most) {
  std::string text;
  for (char const c : word.substr(0, most)) text += c >= ' ' && c <= '~' ? c : '?';
  return word.size() > most ? text + "..." : text;
}

}  // namespace

std::string to_text(source where, std::size_t column) {
  if (where.file.empty()) return fmt::format("flow rule, column {}", column);
  constexpr std::size_t longest_path = 4096;
  return fmt::format("{}:{}:{}", printable(where.file, longest_path), where.line, column);
}

std::string to_list(std::span<std::string_view const> words) {
  std::string list;
  for (auto const word : words) {
    if (!list.empty()) list += ", ";
    list += word;
  }
  return list;
}

void lexer::advance() {
  while (at_ < line_.size() && is_space(line_[at_])) ++at_;
  auto const begin = at_;
  while (at_ < line_.size() && line_[at_] != '#' && !is_space(line_[at_])) ++at_;
  next_ = {line_.substr(begin, at_ - begin), begin + 1};
}

token lexer::take() {
  auto const taken = next_;
  advance();
  return taken;
}

bool lexer::accept(std::string_view word) {
  if (next_.text != word) return false;
  advance();
  return true;
}

void lexer::expect(std::string_view word) {
  if (!accept(word)) fail(next_, {}, fmt::format("'{}'", word));
}

void lexer::fail(token at, std::string_view what, std::string_view expected) const {
  auto const place = to_text(where_, at.column);
  if (at.text.empty()) throw usage_error(fmt::format("{}: the line ends here; expected {}", place, expected));
  auto const problem = what.empty() ? std::string{"is not what comes here"} : fmt::format("is no {}", what);
  throw usage_error(
      fmt::format("{}: '{}' {}; expected {}", place, printable(at.text, longest_word), problem, expected));
}

}  // namespace packetwarp::flow
