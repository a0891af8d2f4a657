// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/syntax/byte_set.h"

namespace packetwarp::regex {

void byte_set::add_range(unsigned first, unsigned last) {
  for (auto byte = first; byte <= last; ++byte) add(byte);
}

void byte_set::add_other_cases() {
  for (unsigned letter = 'a'; letter <= 'z'; ++letter) {
    auto const upper = letter - 'a' + 'A';
    if (has(letter)) add(upper);
    if (has(upper)) add(letter);
  }
}

byte_set byte_set::operator~() const {
  byte_set made;
  for (std::size_t i = 0; i < words_.size(); ++i) made.words_[i] = ~words_[i];
  return made;
}

byte_set byte_set::operator|(byte_set const& other) const {
  byte_set made;
  for (std::size_t i = 0; i < words_.size(); ++i) made.words_[i] = words_[i] | other.words_[i];
  return made;
}

byte_set byte_set::operator&(byte_set const& other) const {
  byte_set made;
  for (std::size_t i = 0; i < words_.size(); ++i) made.words_[i] = words_[i] & other.words_[i];
  return made;
}

byte_set range_set(unsigned first, unsigned last) {
  byte_set made;
  made.add_range(first, last);
  return made;
}

byte_set one_byte(unsigned byte) { return range_set(byte, byte); }

byte_set word_set() { return range_set('0', '9') | range_set('A', 'Z') | range_set('a', 'z') | one_byte('_'); }

byte_set blank_set() { return one_byte('\t') | one_byte(' ') | one_byte(0xa0); }

byte_set vertical_set() { return range_set('\n', '\r') | one_byte(0x85); }

byte_set space_set() { return range_set('\t', '\r') | one_byte(' '); }

std::optional<byte_set> escaped_set(char letter) {
  switch (letter) {
    case 'd':
      return range_set('0', '9');
    case 'D':
      return ~range_set('0', '9');
    case 'w':
      return word_set();
    case 'W':
      return ~word_set();
    case 's':
      return space_set();
    case 'S':
      return ~space_set();
    case 'h':
      return blank_set();
    case 'H':
      return ~blank_set();
    case 'v':
      return vertical_set();
    case 'V':
      return ~vertical_set();
    default:
      return std::nullopt;
  }
}

std::optional<byte_set> named_set(std::string_view name) {
  auto const letters = range_set('A', 'Z') | range_set('a', 'z');
  auto const digits = range_set('0', '9');
  if (name == "alpha") return letters;
  if (name == "lower") return range_set('a', 'z');
  if (name == "upper") return range_set('A', 'Z');
  if (name == "alnum") return letters | digits;
  if (name == "ascii") return range_set(0, 0x7f);
  if (name == "blank") return one_byte('\t') | one_byte(' ');
  if (name == "cntrl") return range_set(0, 0x1f) | one_byte(0x7f);
  if (name == "digit") return digits;
  if (name == "graph") return range_set('!', '~');
  if (name == "print") return range_set(' ', '~');
  if (name == "punct") return range_set('!', '~') & ~(letters | digits);
  if (name == "space") return space_set();
  if (name == "word") return word_set();
  if (name == "xdigit") return digits | range_set('A', 'F') | range_set('a', 'f');
  return std::nullopt;
}

}  // namespace packetwarp::regex
