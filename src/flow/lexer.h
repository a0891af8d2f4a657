// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace packetwarp::flow {

// The origin of a line of text, for errors. Does not own its text.
struct source {
  std::string_view file{};  // empty: typed on a command line
  std::size_t line{};       // from 1
};

// "flows.txt:7:41", or "column 41" of typed text. Columns count from 1.
[[nodiscard]] std::string to_text(source where, std::size_t column);

// Words with commas between them, for errors.
[[nodiscard]] std::string to_list(std::span<std::string_view const> words);

// A word and where it starts. The end of the line is an empty word.
struct token {
  std::string_view text;
  std::size_t column{};
};

// Takes the words of one line in turn: words end at white space and at a #, which starts a comment. The words point
// into the line. All errors of the parser go through the lexer, so that every error names its place in the same way.
class lexer {
 public:
  lexer(std::string_view line, source where) : line_{line}, where_{where} { advance(); }

  [[nodiscard]] token next() const { return next_; }
  [[nodiscard]] bool at_end() const { return next_.text.empty(); }
  token take();
  // Skips the next word if it is `word`.
  [[nodiscard]] bool accept(std::string_view word);
  void expect(std::string_view word);

  // usage_error: 'word' is no `what`; expected `expected`.
  [[noreturn]] void fail(token at, std::string_view what, std::string_view expected) const;

 private:
  void advance();

  std::string_view line_;
  source where_;
  std::size_t at_{};
  token next_;
};

}  // namespace packetwarp::flow
