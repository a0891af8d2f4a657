// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/syntax/group_begin.h"

#include <string_view>

#include "regex/syntax/byte_set.h"
#include "regex/syntax/syntax_tree.h"

namespace packetwarp::regex {
namespace {

constexpr std::uint32_t most_repetitions = 65535;

[[nodiscard]] std::uint32_t digits_at(std::string_view text, std::size_t& at) {
  std::uint64_t number = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    if (number <= most_repetitions) number = number * 10 + static_cast<std::uint64_t>(text[at] - '0');
  }
  return static_cast<std::uint32_t>(number);
}

[[nodiscard]] std::optional<repetition> braces_at(std::string_view text) {
  std::size_t at = 1;
  if (at >= text.size() || !is_digit(text[at])) return std::nullopt;
  auto const least = digits_at(text, at);
  auto most = least;
  if (at < text.size() && text[at] == ',') {
    ++at;
    bool const has_most = at < text.size() && is_digit(text[at]);
    most = has_most ? digits_at(text, at) : unbounded;
  }
  if (at >= text.size() || text[at] != '}') return std::nullopt;
  bool const is_too_much = least > most_repetitions || (most != unbounded && most > most_repetitions);
  if (is_too_much || least > most) throw refused{refusal::not_an_expression};
  return repetition{least, most, at + 1};
}

// The letters of (?letters) and (?letters:, without the last byte.
[[nodiscard]] modes read_modes(pattern_reader& from, modes now) {
  if (from.skip_if("^")) now = {};
  bool is_set = true;
  for (bool has_hyphen = false; from.peek() != ')' && from.peek() != ':';) {
    switch (from.take()) {
      case '-':
        if (has_hyphen) throw refused{refusal::not_an_expression};
        has_hyphen = true;
        is_set = false;
        break;
      case 'i':
        now.is_caseless = is_set;
        break;
      case 's':
        now.dot_is_all = is_set;
        break;
      case 'm':
        now.is_multiline = is_set;
        break;
      case 'x':
        if (from.peek() == 'x' && is_set) throw refused{refusal::extended_more};
        now.is_extended = is_set;
        break;
      case 'n':
        now.groups_are_plain = is_set;
        break;
      case 'J':
      case 'U':
        break;
      default:
        throw refused{refusal::not_an_expression};
    }
  }
  return now;
}

// Passes a group's name with the byte that ends it.
void skip_name(pattern_reader& from, char end) {
  auto const words = word_set();
  if (!words.has(static_cast<unsigned char>(from.peek()))) throw refused{refusal::not_an_expression};
  while (words.has(static_cast<unsigned char>(from.peek()))) from.skip(1);
  if (from.take() != static_cast<unsigned char>(end)) throw refused{refusal::not_an_expression};
}

struct refused_begin {
  std::string_view text;
  refusal why;
};

// After (? as far as the text tells them from groups.
constexpr refused_begin refused_begins[] = {
    {"=", refusal::look_ahead},   {"!", refusal::look_ahead},      {"*", refusal::look_ahead},
    {"<=", refusal::look_behind}, {"<!", refusal::look_behind},    {"<*", refusal::look_behind},
    {">", refusal::atomic_group}, {"|", refusal::branch_reset},    {"(", refusal::condition},
    {"C", refusal::callout},      {"R", refusal::recursion},       {"&", refusal::recursion},
    {"P>", refusal::recursion},   {"P=", refusal::back_reference}, {"+", refusal::recursion},
};

}  // namespace

std::optional<repetition> repetition_at(pattern_reader const& from) {
  switch (from.is_at_end() ? '\0' : from.peek()) {
    case '*':
      return repetition{0, unbounded, 1};
    case '+':
      return repetition{1, unbounded, 1};
    case '?':
      return repetition{0, 1, 1};
    case '{':
      return braces_at(from.rest());
    default:
      return std::nullopt;
  }
}

group_begin read_group_begin(pattern_reader& from, modes const& now) {
  auto const captures = group_begin{group_kind::captures, now};
  if (from.is_next("*")) throw refused{refusal::verb};
  if (!from.skip_if("?")) return now.groups_are_plain ? group_begin{group_kind::plain, now} : captures;
  for (auto const& begin : refused_begins) {
    if (from.is_next(begin.text)) throw refused{begin.why};
  }
  bool const is_number = is_digit(from.peek()) || (from.peek() == '-' && is_digit(from.peek(1)));
  if (is_number) throw refused{refusal::recursion};
  if (from.skip_if("P<") || from.skip_if("<")) return skip_name(from, '>'), captures;
  if (from.skip_if("'")) return skip_name(from, '\''), captures;
  auto const within = read_modes(from, now);
  return {from.take() == ':' ? group_kind::plain : group_kind::options, within};
}

}  // namespace packetwarp::regex
