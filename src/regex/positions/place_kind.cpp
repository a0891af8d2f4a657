// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/positions/place_kind.h"

namespace packetwarp::regex {
namespace {

constexpr auto no_word = static_cast<std::uint8_t>(every_place & ~place_kind::word);
constexpr auto no_end = static_cast<std::uint8_t>(every_place & ~place_kind::end);

}  // namespace

std::uint8_t places_of(assertion what, byte_before before) {
  using namespace place_kind;
  bool const is_after_word = before == byte_before::word;
  bool const is_after_newline = before == byte_before::newline || before == byte_before::last_newline;
  switch (what) {
    case assertion::text_begin:
      return before == byte_before::none ? every_place : 0;
    case assertion::line_begin:
      if (before == byte_before::none) return every_place;
      return is_after_newline ? no_end : 0;
    case assertion::text_end:
      return end;
    case assertion::end_or_last_newline:
      return last_newline | end;
    case assertion::line_end:
      return newline | last_newline | end;
    case assertion::word_edge:
      return is_after_word ? no_word : word;
    case assertion::no_word_edge:
      return is_after_word ? word : no_word;
    case assertion::word_begin:
      return is_after_word ? std::uint8_t{0} : word;
    case assertion::word_end:
      return is_after_word ? no_word : std::uint8_t{0};
  }
  return 0;
}

bool asks_before(assertion what) {
  switch (what) {
    case assertion::line_begin:
    case assertion::word_edge:
    case assertion::no_word_edge:
    case assertion::word_begin:
    case assertion::word_end:
      return true;
    default:
      return false;
  }
}

std::uint8_t kinds_of(byte_set const& set) {
  std::uint8_t made = 0;
  for (auto const kind : {place_kind::word, place_kind::other, place_kind::newline}) {
    if (!(set & bytes_of(kind)).empty()) made |= kind;
  }
  return made;
}

byte_set bytes_of(std::uint8_t kinds) {
  byte_set made;
  auto const words = word_set();
  auto const newline = one_byte('\n');
  if ((kinds & place_kind::word) != 0) made = made | words;
  if ((kinds & place_kind::newline) != 0) made = made | newline;
  if ((kinds & place_kind::other) != 0) made = made | ~(words | newline);
  return made;
}

}  // namespace packetwarp::regex
