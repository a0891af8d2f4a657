// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "regex/refusal.h"

namespace packetwarp::regex {

// The options that the text of an expression can change, for the rest of a group.
struct modes {
  bool is_caseless{};       // i
  bool dot_is_all{};        // s
  bool is_multiline{};      // m
  bool is_extended{};       // x
  bool groups_are_plain{};  // n: ( counts no group
};

[[nodiscard]] inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// An expression's text, read from its begin. At its end peek() gives a zero, as for a byte 0: is_at_end() tells.
class pattern_reader {
 public:
  explicit pattern_reader(std::string_view text) : text_{text} {}

  [[nodiscard]] bool is_at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_ < text_.size() ? at_ : text_.size()); }
  [[nodiscard]] bool is_next(std::string_view wanted) const { return rest().starts_with(wanted); }
  void skip(std::size_t count) { at_ += count; }
  bool skip_if(std::string_view wanted) {
    if (!is_next(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  // The next byte. Throws refused at the end.
  unsigned char take() {
    if (is_at_end()) throw refused{refusal::not_an_expression};
    return static_cast<unsigned char>(text_[at_++]);
  }
  // Within \Q...\E, where all bytes are literals.
  [[nodiscard]] bool is_quoted() const { return is_quoted_; }
  void quote() { is_quoted_ = true; }
  void end_quote() { is_quoted_ = false; }
  // Passes what stands for nothing between two items: comments, white space of x, \E, and \Q, after which the
  // text is quoted.
  void skip_ignored(modes const& now);

 private:
  [[nodiscard]] bool skip_one_ignored(modes const& now);

  std::string_view text_;
  std::size_t at_{};
  bool is_quoted_{};
};

}  // namespace packetwarp::regex
