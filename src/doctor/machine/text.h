// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp::doctor {

// Parsers for the kernel's text files.

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  auto const first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The parts between any of `separators`; empty parts are left out.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; (at = text.find_first_not_of(separators, at)) != text.npos;) {
    auto const end = text.find_first_of(separators, at);
    parts.push_back(text.substr(at, end - at));
    at = end;
    if (end == text.npos) break;
  }
  return parts;
}

[[nodiscard]] inline std::vector<std::string_view> words_of(std::string_view text) { return split(text, " \t\r\n"); }
[[nodiscard]] inline std::vector<std::string_view> lines_of(std::string_view text) { return split(text, "\n"); }

// The number that the whole text is, in decimal, or in hexadecimal after 0x.
[[nodiscard]] inline std::optional<std::uint64_t> number_of(std::string_view text) {
  bool const is_hexadecimal = text.starts_with("0x");
  if (is_hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace packetwarp::doctor
