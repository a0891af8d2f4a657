// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace packetwarp::traffic {

// Walks over the text of an option. All parsers of traffic texts report errors through it, in one form: usage_error
// with one line that has the option, the text, the column (from 1) and the expected text there.
class scanner {
 public:
  scanner(std::string_view text, std::string_view option) : text_{text}, option_{option} {}

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] std::size_t position() const { return at_; }

  // Steps over `wanted` if it is next.
  [[nodiscard]] bool accept(char wanted);
  void expect(char wanted);

  // The text up to the first of `stops` or the end; may be empty.
  std::string_view until(std::string_view stops);

  [[noreturn]] void fail(std::string_view expected) const { fail(expected, at_); }
  [[noreturn]] void fail(std::string_view expected, std::size_t position) const;

 private:
  std::string_view text_;
  std::string_view option_;
  std::size_t at_{};
};

// The whole of `text` as a decimal number, or one with 0x in front, not above `largest`.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t largest);

}  // namespace packetwarp::traffic
