// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/syntax/escape_parser.h"

#include <string_view>

namespace packetwarp::regex {
namespace {

[[nodiscard]] escape byte_escape(unsigned byte) {
  if (byte > 0xff) throw refused{refusal::not_an_expression};
  return {.kind = escape_kind::byte, .byte = byte};
}

// The digit's value, or a number that is no digit of any base.
[[nodiscard]] unsigned digit_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return 16;
}

[[nodiscard]] unsigned read_digits(pattern_reader& from, unsigned base, unsigned most) {
  unsigned value = 0;
  for (unsigned i = 0; i < most && digit_value(from.peek()) < base; ++i)
    value = value * base + digit_value(static_cast<char>(from.take()));
  return value;
}

// {digits}, after its first brace.
[[nodiscard]] escape read_braced(pattern_reader& from, unsigned base) {
  unsigned value = 0;
  bool has_digit = false;
  for (; digit_value(from.peek()) < base; has_digit = true) {
    value = value * base + digit_value(static_cast<char>(from.take()));
    if (value > 0xff) throw refused{refusal::not_an_expression};
  }
  if (!has_digit || from.take() != '}') throw refused{refusal::not_an_expression};
  return byte_escape(value);
}

// \1 to \9, whose first digit is not read yet: a group's number, or up to three octal digits.
[[nodiscard]] escape read_number(pattern_reader& from, escape_place place, std::uint32_t groups) {
  if (place == escape_place::outside) {
    auto const text = from.rest();
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < text.size() && is_digit(text[i]) && number < 100'000; ++i)
      number = number * 10 + static_cast<std::uint32_t>(text[i] - '0');
    if (number < 10 || from.peek() >= '8' || number <= groups) throw refused{refusal::back_reference};
  }
  if (from.peek() >= '8') return byte_escape(from.take());
  return byte_escape(read_digits(from, 8, 3));
}

[[nodiscard]] escape read_control(pattern_reader& from) {
  auto letter = from.take();
  if (letter < ' ' || letter > '~') throw refused{refusal::not_an_expression};
  if (letter >= 'a' && letter <= 'z') letter = static_cast<unsigned char>(letter - 'a' + 'A');
  return byte_escape(letter ^ 0x40U);
}

[[nodiscard]] escape read_letter(pattern_reader& from, char letter) {
  switch (letter) {
    case 'a':
      return byte_escape('\a');
    case 'e':
      return byte_escape(0x1b);
    case 'f':
      return byte_escape('\f');
    case 'n':
      return byte_escape('\n');
    case 'r':
      return byte_escape('\r');
    case 't':
      return byte_escape('\t');
    case 'c':
      return read_control(from);
    case 'x':
      return from.skip_if("{") ? read_braced(from, 16) : byte_escape(read_digits(from, 16, 2));
    case 'o':
      if (!from.skip_if("{")) throw refused{refusal::not_an_expression};
      return read_braced(from, 8);
    case 'G':
      throw refused{refusal::match_begin};
    case 'R':
      throw refused{refusal::newline_sequence};
    case 'X':
      throw refused{refusal::grapheme};
    case 'p':
    case 'P':
      throw refused{refusal::property};
    case 'C':
      throw refused{refusal::code_unit};
    case 'g':
    case 'k':
      throw refused{refusal::back_reference};  // \g<name> is a recursion, which is refused all the same
    default:
      break;
  }
  if (std::string_view{"ABbKNzZ"}.find(letter) == std::string_view::npos) throw refused{refusal::not_an_expression};
  return {.kind = escape_kind::other, .letter = letter};
}

}  // namespace

escape read_escape(pattern_reader& from, escape_place place, std::uint32_t groups) {
  auto const first = from.peek();
  if (first >= '1' && first <= '9') return read_number(from, place, groups);
  auto const byte = from.take();
  if (byte == '0') return byte_escape(read_digits(from, 8, 2));
  auto const letter = static_cast<char>(byte);
  bool const is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  if (!is_letter) return byte_escape(byte);
  if (auto const set = escaped_set(letter)) return {.kind = escape_kind::set, .set = *set, .letter = letter};
  return read_letter(from, letter);
}

}  // namespace packetwarp::regex
