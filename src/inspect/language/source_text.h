// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp::inspect {

struct text_place {
  std::size_t line{};  // both from 1
  std::size_t column{};
};

// The text of a file of rules. Views of it know their place, for errors; so it does not move.
class source_text {
 public:
  // A backslash at the end of a line joins the next line to it.
  source_text(std::string name, std::string text);
  source_text(source_text const&) = delete;
  source_text& operator=(source_text const&) = delete;

  [[nodiscard]] std::string const& name() const { return name_; }
  // The lines with rules: neither empty nor a comment.
  [[nodiscard]] std::vector<std::string_view> rules() const;
  [[nodiscard]] text_place place_of(std::string_view part) const;
  // usage_error "FILE:LINE:COLUMN: message".
  [[noreturn]] void fail(std::string_view part, std::string_view message) const;

 private:
  std::string name_;
  std::string text_;                      // joined lines have blanks at the join
  std::vector<std::size_t> line_begins_;  // of the lines of the file
};

[[nodiscard]] std::string_view trimmed(std::string_view text);
// In quotes, printable, and not longer than an error line can have.
[[nodiscard]] std::string in_quotation(std::string_view text);
// The part before the first `end`, which is taken off `text` together with `end`. All of `text` without an `end`.
[[nodiscard]] std::string_view take_until(std::string_view& text, char end);
// Whether both are the same except for large and small letters; `word` has small ones.
[[nodiscard]] bool is_word(std::string_view text, std::string_view word);
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char between);

}  // namespace packetwarp::inspect
