// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/syntax/class_parser.h"

#include <optional>

#include "regex/syntax/escape_parser.h"

namespace packetwarp::regex {
namespace {

// The text within [: and :], as PCRE2's check_posix_syntax() finds it; `from` is at the byte after the first [.
[[nodiscard]] std::optional<std::string_view> named_part(pattern_reader const& from) {
  auto const text = from.rest();
  if (text.size() < 3 || (text[0] != ':' && text[0] != '.' && text[0] != '=')) return std::nullopt;
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    bool const is_escaped = text[at] == '\\' && (text[at + 1] == ']' || text[at + 1] == '\\');
    if (is_escaped) {
      ++at;
    } else if ((text[at] == '[' && text[at + 1] == text[0]) || text[at] == ']') {
      return std::nullopt;
    } else if (text[at] == text[0] && text[at + 1] == ']') {
      return text.substr(0, at);
    }
  }
  return std::nullopt;
}

class class_reader {
 public:
  class_reader(pattern_reader& from, modes const& now) : from_{from}, now_{now} {}

  [[nodiscard]] byte_set read() {
    bool const is_negated = read_begin();
    do {
      read_one();
      if (from_.is_at_end()) throw refused{refusal::not_an_expression};
    } while (from_.is_quoted() || from_.peek() != ']');
    from_.skip(1);
    if (state_ == range_state::started) add_literal_byte('-');
    return is_negated ? ~made_ : made_;
  }

 private:
  enum class range_state : std::uint8_t { none, possible, started };

  // ^, among \E and \Q\E, which mean nothing there.
  [[nodiscard]] bool read_begin() {
    bool is_negated = false;
    while (true) {
      if (from_.skip_if("\\E") || from_.skip_if("\\Q\\E")) continue;
      if (is_negated || !from_.skip_if("^")) return is_negated;
      is_negated = true;
    }
  }

  void read_one() {
    if (from_.is_quoted()) {
      if (from_.skip_if("\\E")) return from_.end_quote();
      return add_literal(from_.take());
    }
    auto const byte = from_.take();
    if (byte == '\\') return read_escaped();
    if (byte == '-' && state_ == range_state::possible) {
      state_ = range_state::started;
    } else if (auto const name = byte == '[' ? named_part(from_) : std::nullopt) {
      read_named(*name);
    } else {
      add_literal(byte);
    }
  }

  void read_escaped() {
    if (from_.skip_if("E")) return;
    if (from_.skip_if("Q")) return from_.quote();
    auto const read = read_escape(from_, escape_place::in_class, 0);
    if (read.kind == escape_kind::byte) return add_literal(read.byte);
    if (read.kind == escape_kind::other && read.letter == 'b') return add_literal('\b');
    if (read.kind == escape_kind::other) throw refused{refusal::not_an_expression};
    add_set(read.set);
  }

  void read_named(std::string_view name) {
    bool const is_negated = name.size() > 1 && name[1] == '^';
    auto word = name.substr(is_negated ? 2 : 1);
    if (now_.is_caseless && (word == "upper" || word == "lower")) word = "alpha";
    auto const set = named_set(word);
    if (name[0] != ':' || !set) throw refused{refusal::not_an_expression};
    from_.skip(name.size() + 2);
    add_set(is_negated ? ~*set : *set);
  }

  // A set begins and ends no range: a hyphen beside it is an error unless it ends the class.
  void add_set(byte_set const& set) {
    bool const has_hyphen = from_.peek() == '-' && from_.peek(1) != ']';
    if (state_ == range_state::started || has_hyphen) throw refused{refusal::not_an_expression};
    state_ = range_state::none;
    made_ = made_ | set;
  }

  void add_literal(unsigned byte) {
    if (state_ != range_state::started) {
      state_ = range_state::possible;
      last_ = byte;
      return add_literal_byte(byte);
    }
    if (last_ > byte) throw refused{refusal::not_an_expression};
    state_ = range_state::none;
    auto range = range_set(last_, byte);
    if (now_.is_caseless) range.add_other_cases();
    made_ = made_ | range;
  }

  void add_literal_byte(unsigned byte) {
    auto one = one_byte(byte);
    if (now_.is_caseless) one.add_other_cases();
    made_ = made_ | one;
  }

  pattern_reader& from_;
  modes const& now_;
  byte_set made_{};
  range_state state_{};
  unsigned last_{};
};

}  // namespace

byte_set read_class(pattern_reader& from, modes const& now) { return class_reader{from, now}.read(); }

}  // namespace packetwarp::regex
