// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "inspect/language/buffers.h"
#include "inspect/language/keywords.h"
#include "inspect/language/regex.h"

namespace packetwarp::inspect {
namespace {

constexpr std::size_t longest_content = 4096;

[[nodiscard]] int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// |41 42| stands for two bytes. `text` begins after the first |; both | are taken off.
void read_hex(rule_reader& reader, option const& what, std::string_view& text, std::string& bytes) {
  auto const end = text.find('|');
  if (end == text.npos)
    reader.fail(text.substr(0, 0), fmt::format("{}: the second '|' of bytes is missing", what.name));
  int high = -1;
  for (std::size_t at = 0; at < end; ++at) {
    if (text[at] == ' ') continue;
    auto const digit = hex_digit(text[at]);
    if (digit < 0) reader.refuse(what, text.substr(at, 1), "hexadecimal digits between | and |");
    if (high >= 0) bytes.push_back(static_cast<char>(high << 4 | digit));
    high = high >= 0 ? -1 : digit;
  }
  if (high >= 0) reader.refuse(what, text.substr(0, end), "two hexadecimal digits per byte");
  text.remove_prefix(end + 1);
}

[[nodiscard]] std::string bytes_of(rule_reader& reader, option const& what, std::string_view text) {
  constexpr std::string_view escapable = ":;\\\"";
  std::string bytes;
  auto const whole = text;
  while (!text.empty()) {
    char const c = text.front();
    auto const rest = text.substr(1);
    if (c == '|') {
      text = rest;
      read_hex(reader, what, text, bytes);
      continue;
    }
    if (c == '\\') {
      if (rest.empty() || escapable.find(rest.front()) == escapable.npos) {
        reader.refuse(what, text.substr(0, 2), "\\; \\: \\\" or \\\\ after a backslash, or bytes as |5C|");
      }
      bytes.push_back(rest.front());
      text = rest.substr(1);
      continue;
    }
    bytes.push_back(c);
    text = rest;
  }
  if (bytes.empty()) reader.refuse(what, whole, "one byte or more");
  if (bytes.size() > longest_content) reader.refuse(what, whole, fmt::format("{} bytes at most", longest_content));
  return bytes;
}

// depth, offset, distance and within.
void read_distance(rule_reader& reader, option const& what, content_check& content) {
  bool const is_name = !what.value.empty() && ((what.value.front() >= 'a' && what.value.front() <= 'z') ||
                                               (what.value.front() >= 'A' && what.value.front() <= 'Z'));
  if (is_name) {  // the result of a byte_extract or byte_math
    return reader.lacks(what.value, fmt::format("{} by a variable", what.name), gap_kind::not_in_language);
  }
  bool const may_be_negative = what.name == "distance";
  auto const value =
      static_cast<std::int32_t>(reader.number(what, what.value, may_be_negative ? -farthest : 0, farthest));
  auto const length = static_cast<std::int32_t>(content.bytes.size());
  if ((what.name == "depth" || what.name == "within") && value < length) {
    reader.refuse(what, what.value, fmt::format("{} or more, the content's bytes", length));
  }
  auto& place = what.name == "offset"     ? content.offset
                : what.name == "depth"    ? content.depth
                : what.name == "distance" ? content.distance
                                          : content.within;
  if (place) reader.fail(what.place, fmt::format("{} is given twice for one content", what.name));
  place = value;
  if ((content.offset || content.depth) && content.is_relative()) {
    reader.fail(what.place,
                fmt::format("{}: distance and within count from the match before, and offset and depth from "
                            "the begin; give one of both for a content",
                            what.name));
  }
}

}  // namespace

void read_content(rule_reader& reader, option const& what) {
  content_check made;
  auto const text = reader.in_quotes(what, &made.is_negated);
  made.bytes = bytes_of(reader, what, text);
  made.where = what.name == "uricontent" ? rule_buffer::http_uri : reader.buffer();
  reader.made().payload.emplace_back(std::move(made));
}

void read_content_modifier(rule_reader& reader, option const& what) {
  auto& content = reader.last_content(what);
  if (what.name == "offset" || what.name == "depth" || what.name == "distance" || what.name == "within") {
    return read_distance(reader, what, content);
  }
  reader.expect_no_value(what);
  if (what.name == "nocase") content.ignores_case = true;
  if (what.name == "startswith") {
    if (content.offset || content.depth || content.is_relative()) {
      reader.fail(what.place, "startswith goes with none of depth, offset, distance and within");
    }
    content.at_start = true;
    content.offset = 0;
    content.depth = static_cast<std::int32_t>(content.bytes.size());
  }
  if (what.name == "endswith") content.at_end = true;
  // rawbytes says what holds for every content here: the payload is not decoded.
}

void read_fast_pattern(rule_reader& reader, option const& what) {
  auto& content = reader.last_content(what);
  reader.take_only_once(what);
  content.is_fast_pattern = true;
  if (what.value.empty() || what.value == "only") return;
  auto const parts = split(what.value, ',');
  if (parts.size() != 2) reader.refuse(what, what.value, "nothing, only, or FIRST,LENGTH");
  content.fast_first = static_cast<std::uint16_t>(reader.number(what, parts[0], 0, farthest));
  content.fast_length = static_cast<std::uint16_t>(reader.number(what, parts[1], 1, farthest));
  if (std::size_t{content.fast_first} + content.fast_length > content.bytes.size()) {
    reader.refuse(what, what.value, fmt::format("a piece of the content's {} bytes", content.bytes.size()));
  }
}

void read_content_buffer(rule_reader& reader, option const& what) {
  reader.expect_no_value(what);
  reader.last_content(what).where = find_modifier(what.name)->buffer;
}

void read_sticky_buffer(rule_reader& reader, option const& what) {
  reader.expect_no_value(what);
  reader.look_at(find_sticky_buffer(what.name)->buffer);
}

void read_dot_prefix(rule_reader& reader, option const& what) {
  reader.expect_no_value(what);
  if (reader.buffer() == rule_buffer::dns_query) return reader.look_at(rule_buffer::dns_query_dotted);
  if (reader.buffer() == rule_buffer::http_host) return reader.look_at(rule_buffer::http_host_dotted);
  if (reader.buffer() == rule_buffer::tls_sni) return reader.look_at(rule_buffer::tls_sni_dotted);
  reader.lacks(what.place, what.name, gap_kind::not_inspected);
}

namespace {

constexpr std::string_view captured_variable = "pcre with a captured variable";

// Adds one modifier; modifiers: all of the expression, the letter at position `at`.
void add_modifier(rule_reader& reader, option const& what, std::string_view modifiers, std::size_t at,
                  regex_check& made) {
  char const letter = modifiers[at];
  if (auto const buffer = buffer_of_letter(letter); buffer != rule_buffer::unread) {
    made.where = buffer;
    return;
  }
  switch (letter) {
    case 'i':
    case 's':
    case 'm':
    case 'x':
    case 'A':
    case 'E':
    case 'G':
      made.modifiers.push_back(letter);
      break;
    case 'R':
      made.is_relative = true;
      break;
    case 'B':
    case 'O':
      break;
    default:
      reader.refuse(what, modifiers.substr(at, 1), "modifiers out of i s m x A E G R B O U I P Q H D M C S Y V W Z");
  }
}

}  // namespace

void read_regex(rule_reader& reader, option const& what) {
  if (auto const comma = what.value.rfind("\","); comma != what.value.npos) {
    return reader.lacks(what.value.substr(comma), captured_variable, gap_kind::not_in_language);
  }
  regex_check made;
  // Quotes may be left out here.
  bool const is_bare = what.value.starts_with('/') || what.value.starts_with("!/");
  auto text = is_bare ? what.value.substr(what.value.find('/')) : reader.in_quotes(what, &made.is_negated);
  if (is_bare) made.is_negated = what.value.front() == '!';
  if (text.starts_with("m/")) text.remove_prefix(1);  // as Perl writes it
  auto const end = text.rfind('/');
  if (!text.starts_with('/') || end == 0) reader.refuse(what, text, "/EXPRESSION/MODIFIERS in double quotes");
  made.pattern = text.substr(1, end - 1);
  made.where = reader.buffer();
  auto const modifiers = text.substr(end + 1);
  for (std::size_t at = 0; at < modifiers.size(); ++at) {
    if (modifiers[at] == ',') {
      reader.lacks(modifiers, captured_variable, gap_kind::not_in_language);
      break;
    }
    add_modifier(reader, what, modifiers, at, made);
  }
  if (made.pattern.find("(?P<pkt_") != std::string::npos || made.pattern.find("(?P<flow_") != std::string::npos) {
    reader.lacks(text, captured_variable, gap_kind::not_in_language);
  }
  if (auto const problem = problem_of(made); !problem.empty()) {
    reader.refuse(what, text, fmt::format("an expression that PCRE2 compiles: {}", problem));
  }
  reader.made().payload.emplace_back(std::move(made));
}

}  // namespace packetwarp::inspect
