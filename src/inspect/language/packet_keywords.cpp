// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "inspect/language/keywords.h"
#include "wire/tcp.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] header_field field_called(std::string_view name) {
  if (name == "dsize") return header_field::payload_size;
  if (name == "ttl") return header_field::ttl;
  return name == "itype" ? header_field::icmp_type : header_field::icmp_code;
}

// "<>" or "-" between two numbers; a leading "-" is none.
[[nodiscard]] std::size_t find_range(std::string_view text, std::size_t& width) {
  if (auto const at = text.find("<>"); at != text.npos && at != 0) {
    width = 2;
    return at;
  }
  auto const at = text.find('-', 1);
  width = 1;
  return at;
}

[[nodiscard]] number_test number_test_in(rule_reader& reader, option const& what, std::string_view text,
                                         std::int64_t most) {
  using enum number_relation;
  number_test made;
  if (text.empty()) reader.refuse(what, text, "a number N, !N, <N, >N, <=N, >=N, or N<>M for those between");
  std::size_t width = 0;
  if (auto const at = find_range(text, width); at != text.npos) {
    made.relation = between;
    made.value = static_cast<std::uint32_t>(reader.number(what, trimmed(text.substr(0, at)), 0, most));
    made.upper = static_cast<std::uint32_t>(reader.number(what, trimmed(text.substr(at + width)), 0, most));
    if (made.upper <= made.value + 1) reader.refuse(what, text, "N<>M with a number between N and M");
  } else {
    struct sign {
      std::string_view text;
      number_relation relation;
    };
    constexpr sign signs[] = {{"<=", at_most}, {">=", at_least}, {"<", less},
                              {">", greater},  {"!", unequal},   {"=", equal}};
    for (auto const& one : signs) {
      if (!text.starts_with(one.text)) continue;
      made.relation = one.relation;
      text = trimmed(text.substr(one.text.size()));
      break;
    }
    made.value = static_cast<std::uint32_t>(reader.number(what, text, 0, most));
  }
  return made;
}

}  // namespace

void read_header_number(rule_reader& reader, option const& what) {
  auto const field = field_called(what.name);
  auto const most = field == header_field::payload_size ? farthest : 255;
  reader.made().header.push_back({field, number_test_in(reader, what, what.value, most)});
}

void read_buffer_size(rule_reader& reader, option const& what) {
  reader.made().payload.emplace_back(size_check{number_test_in(reader, what, what.value, farthest), reader.buffer()});
}

void read_uri_size(rule_reader& reader, option const& what) {
  auto rest = what.value;
  auto const size = trimmed(take_until(rest, ','));
  auto const form = trimmed(rest);
  if (!form.empty() && form != "norm" && form != "raw") reader.refuse(what, form, "norm or raw after the comma");
  auto const where = form == "raw" ? rule_buffer::http_uri_raw : rule_buffer::http_uri;
  reader.made().payload.emplace_back(size_check{number_test_in(reader, what, size, farthest), where});
}

void read_flags(rule_reader& reader, option const& what) {
  using namespace wire::tcp_flag;
  constexpr std::string_view allowed =
      "letters out of F S R P A U E C, or 0 for none, with + (all of them), * (any of them) or "
      "! (not all) before or after them, then a comma and letters to ignore";
  struct letter {
    char name;
    std::uint8_t bit;
  };
  constexpr letter letters[] = {{'F', 0x01}, {'S', 0x02}, {'R', 0x04}, {'P', 0x08}, {'A', 0x10},
                                {'U', 0x20}, {'E', 0x40}, {'C', 0x80}, {'2', 0x40}, {'1', 0x80}};
  auto const parts = split(what.value, ',');
  if (parts.size() > 2 || parts[0].empty()) reader.refuse(what, what.value, allowed);
  flags_check made;
  auto const read = [&](std::string_view text, bool may_relate) {
    std::uint8_t bits = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      char const c = text[at] >= 'a' && text[at] <= 'z' ? static_cast<char>(text[at] - 'a' + 'A') : text[at];
      bool is_known = c == '0' || c == ' ';
      for (auto const& [name, bit] : letters) {
        if (name != c) continue;
        bits = static_cast<std::uint8_t>(bits | bit);
        is_known = true;
      }
      if (may_relate && (c == '+' || c == '*' || c == '!')) {
        made.relation = c == '+' ? flags_relation::all : c == '*' ? flags_relation::any : flags_relation::not_all;
        is_known = true;
      }
      if (!is_known) reader.refuse(what, text.substr(at, 1), allowed);
    }
    return bits;
  };
  made.flags = read(parts[0], true);
  if (parts.size() == 2) made.ignored = read(parts[1], false);
  reader.made().flags.push_back(made);
}

}  // namespace packetwarp::inspect
