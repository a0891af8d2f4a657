// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string_view>
#include <variant>
#include <vector>

#include "inspect/language/keywords.h"

namespace packetwarp::inspect {
namespace {

// A name where a number may be: a variable of byte_extract or byte_math.
[[nodiscard]] bool is_variable(std::string_view text) {
  return !text.empty() &&
         ((text.front() >= 'a' && text.front() <= 'z') || (text.front() >= 'A' && text.front() <= 'Z'));
}

[[nodiscard]] std::uint8_t bytes_in(rule_reader& reader, option const& what, std::string_view text, int least) {
  if (is_variable(text)) {
    reader.lacks(text, fmt::format("{} by a variable", what.name), gap_kind::not_in_language);
    return 1;
  }
  return static_cast<std::uint8_t>(reader.number(what, text, least, 23));
}

[[nodiscard]] std::int32_t offset_in(rule_reader& reader, option const& what, std::string_view text) {
  if (is_variable(text)) {
    reader.lacks(text, fmt::format("{} by a variable", what.name), gap_kind::not_in_language);
    return 0;
  }
  return static_cast<std::int32_t>(reader.number(what, text, -farthest, farthest));
}

// A number of 64 bits; a negative one is its complement of two, as C's strtoull reads it.
[[nodiscard]] std::uint64_t value_in(rule_reader& reader, option const& what, std::string_view text) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  std::uint64_t large = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), large);
  if (error == std::errc{} && end == text.data() + text.size()) return large;
  return static_cast<std::uint64_t>(reader.number(what, text, -most, most));
}

// The buffer of a check that counts from the match before it, if no sticky buffer is active: that match's, which an
// old modifier such as http_uri may have chosen after the content.
[[nodiscard]] rule_buffer buffer_of(rule_reader& reader, bool is_relative) {
  auto const& before = reader.made().payload;
  if (!is_relative || reader.buffer() != rule_buffer::payload || before.empty()) return reader.buffer();
  return std::visit([](auto const& one) { return one.where; }, before.back());
}

// The words that byte_test and byte_jump share. False: it is another one.
[[nodiscard]] bool read_source_word(rule_reader& reader, option const& what, std::string_view word, byte_source& from) {
  if (word == "relative") {
    from.is_relative = true;
  } else if (word == "little") {
    from.is_little_endian = true;
  } else if (word == "big") {
    from.is_little_endian = false;
  } else if (word == "string") {
    if (from.base == 0) from.base = any_base;
  } else if (word == "dec" || word == "hex" || word == "oct") {
    from.base = word == "dec" ? 10 : word == "hex" ? 16 : 8;
  } else if (word.starts_with("bitmask")) {
    from.is_masked = true;
    from.mask = static_cast<std::uint32_t>(reader.number(what, trimmed(word.substr(7)), 1, 0xffff'ffff));
  } else if (word == "dce") {
    reader.lacks(word, fmt::format("{} with dce", what.name), gap_kind::not_in_language);
  } else {
    return false;
  }
  return true;
}

void check_source(rule_reader& reader, option const& what, byte_source const& from, std::string_view bytes) {
  if (from.base == 0 && (from.bytes > 8 || (from.bytes == 0 && what.name == "byte_test")))
    reader.refuse(what, bytes, "1 to 8 bytes; with string up to 23, or 0 for as many as there are");
}

[[nodiscard]] byte_operator operator_in(rule_reader& reader, option const& what, std::string_view text,
                                        bool& is_negated) {
  auto sign = text;
  if (sign.starts_with('!')) {
    is_negated = true;
    sign = trimmed(sign.substr(1));
  }
  if (sign == "<") return byte_operator::less;
  if (sign == ">") return byte_operator::greater;
  if (sign == "=" || (sign.empty() && is_negated)) return byte_operator::equal;
  if (sign == "&") return byte_operator::bit_and;
  if (sign == "^") return byte_operator::bit_xor;
  if (sign == "<=") return byte_operator::at_most;
  if (sign == ">=") return byte_operator::at_least;
  reader.refuse(what, text, "< > = <= >= & or ^, with ! before it for the opposite");
}

}  // namespace

void read_byte_test(rule_reader& reader, option const& what) {
  auto const parts = split(what.value, ',');
  constexpr std::string_view form =
      "BYTES,OPERATOR,VALUE,OFFSET and then words out of relative, big, little, string, dec, "
      "hex, oct, bitmask MASK";
  if (parts.size() < 4) reader.refuse(what, what.value, form);
  byte_test_check made;
  made.from.bytes = bytes_in(reader, what, parts[0], 0);
  made.how = operator_in(reader, what, parts[1], made.is_negated);
  if (is_variable(parts[2])) {
    reader.lacks(parts[2], "byte_test by a variable", gap_kind::not_in_language);
  } else {
    made.value = value_in(reader, what, parts[2]);
  }
  made.from.offset = offset_in(reader, what, parts[3]);
  for (std::size_t i = 4; i < parts.size(); ++i) {
    if (!read_source_word(reader, what, parts[i], made.from)) reader.refuse(what, parts[i], form);
  }
  check_source(reader, what, made.from, parts[0]);
  made.where = buffer_of(reader, made.from.is_relative);
  reader.made().payload.emplace_back(made);
}

void read_byte_jump(rule_reader& reader, option const& what) {
  auto const parts = split(what.value, ',');
  constexpr std::string_view form =
      "BYTES,OFFSET and then words out of relative, big, little, string, dec, hex, oct, align, "
      "from_beginning, from_end, multiplier NUMBER, post_offset NUMBER, bitmask MASK";
  if (parts.size() < 2) reader.refuse(what, what.value, form);
  byte_jump_check made;
  made.from.bytes = bytes_in(reader, what, parts[0], 0);
  made.from.offset = offset_in(reader, what, parts[1]);
  for (std::size_t i = 2; i < parts.size(); ++i) {
    auto const word = parts[i];
    if (read_source_word(reader, what, word, made.from)) continue;
    if (word == "align") {
      made.is_aligned = true;
    } else if (word == "from_beginning") {
      made.origin = jump_origin::beginning;
    } else if (word == "from_end") {
      made.origin = jump_origin::end;
    } else if (word.starts_with("multiplier")) {
      made.multiplier = static_cast<std::uint32_t>(reader.number(what, trimmed(word.substr(10)), 1, farthest));
    } else if (word.starts_with("post_offset")) {
      made.post_offset = offset_in(reader, what, trimmed(word.substr(11)));
    } else {
      reader.refuse(what, word, form);
    }
  }
  check_source(reader, what, made.from, parts[0]);
  made.where = buffer_of(reader, made.from.is_relative);
  reader.made().payload.emplace_back(made);
}

void read_data_at(rule_reader& reader, option const& what) {
  auto text = what.value;
  data_at_check made;
  if (text.starts_with('!')) {
    made.is_negated = true;
    text = trimmed(text.substr(1));
  }
  auto const parts = split(text, ',');
  if (is_variable(parts[0])) {
    reader.lacks(parts[0], "isdataat by a variable", gap_kind::not_in_language);
  } else {
    made.bytes = static_cast<std::uint32_t>(reader.number(what, parts[0], 0, farthest));
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] == "relative") {
      made.is_relative = true;
    } else if (parts[i] != "rawbytes") {
      reader.refuse(what, parts[i], "NUMBER or !NUMBER, then relative or rawbytes");
    }
  }
  made.where = buffer_of(reader, made.is_relative);
  reader.made().payload.emplace_back(made);
}

}  // namespace packetwarp::inspect
