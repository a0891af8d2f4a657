// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "inspect/language/keywords.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] bool read_flow_word(std::string_view text, rule& of) {
  auto& made = of.flow;
  constexpr std::string_view words[] = {"to_server",   "from_client",     "to_client",   "from_server",
                                        "established", "not_established", "only_stream", "no_stream",
                                        "no_frag",     "only_frag",       "stateless"};
  auto const* const known = std::ranges::find_if(words, [&](auto one) { return is_word(text, one); });
  if (known == std::end(words)) return false;
  auto const word = *known;
  if (word == "to_server" || word == "from_client" || word == "to_client" || word == "from_server") {
    if (made.direction != direction_need::any) return false;
    made.direction =
        word == "to_server" || word == "from_client" ? direction_need::to_server : direction_need::to_client;
  } else if (word == "established" || word == "not_established") {
    if (made.connection != connection_need::any || of.is_stateless) return false;
    made.connection = word == "established" ? connection_need::established : connection_need::not_established;
  } else if (word == "stateless") {
    if (made.connection != connection_need::any || of.is_stateless) return false;
    of.is_stateless = true;
  } else if (word == "only_stream" || word == "no_stream") {
    if (made.stream != stream_need::any) return false;
    made.stream = word == "only_stream" ? stream_need::only_stream : stream_need::no_stream;
  } else if (word == "no_frag" || word == "only_frag") {
    if (made.fragment != fragment_need::any) return false;
    made.fragment = word == "no_frag" ? fragment_need::no_fragment : fragment_need::only_fragment;
  }
  return true;
}

}  // namespace

void read_flow(rule_reader& reader, option const& what) {
  reader.made().flow.is_given = true;
  for (auto const word : split(what.value, ',')) {
    if (!read_flow_word(word, reader.made())) {
      reader.refuse(what, word,
                    "words out of to_server or to_client (from_client, from_server), established, not_established "
                    "or stateless, only_stream or no_stream, no_frag or only_frag, each once");
    }
  }
}

void read_flowbits(rule_reader& reader, option const& what) {
  using enum flowbit_operation;
  struct name {
    std::string_view text;
    flowbit_operation what;
  };
  constexpr name names[] = {
      {"set", set}, {"unset", unset}, {"toggle", toggle}, {"isset", is_set}, {"isnotset", is_not_set}};
  constexpr std::string_view allowed =
      "set,NAME; unset,NAME; toggle,NAME; isset,NAME or isset,NAME|NAME; isnotset,NAME; or noalert";
  auto rest = what.value;
  auto const word = trimmed(take_until(rest, ','));
  rest = trimmed(rest);
  if (word == "noalert") {
    if (!rest.empty()) reader.refuse(what, rest, "noalert without a name");
    reader.made().is_silent = true;
    return;
  }
  for (auto const& [text, operation] : names) {
    if (word != text) continue;
    flowbit_use made{.what = operation};
    bool const may_be_several = operation == is_set || operation == is_not_set;
    for (auto const one : split(rest, '|')) {
      bool const is_bad = one.empty() || one.find_first_of(" \t") != one.npos;
      if (is_bad) reader.refuse(what, what.value, allowed);
      if (!may_be_several && !made.names.empty()) {
        return reader.lacks(what.value, fmt::format("flowbits {} with several names", word), gap_kind::not_in_language);
      }
      made.names.emplace_back(one);
    }
    reader.made().flowbits.push_back(std::move(made));
    return;
  }
  reader.refuse(what, what.value, allowed);
}

namespace {

// 0 has no meaning for `count` or `seconds`, although Suricata takes it in a threshold: the rule is left out.
[[nodiscard]] std::uint32_t read_rate_number(rule_reader& reader, option const& what, std::string_view word,
                                             std::string_view value) {
  constexpr std::int64_t most = 0x7fff'ffff;
  bool const takes_zero = what.name == "threshold";
  auto const number = reader.number(what, value, takes_zero ? 0 : 1, most);
  if (number == 0) reader.lacks(value, fmt::format("threshold with {} 0", word), gap_kind::not_in_language);
  return static_cast<std::uint32_t>(number);
}

}  // namespace

void read_rate(rule_reader& reader, option const& what) {
  constexpr std::string_view allowed =
      "type limit|threshold|both (only threshold has it), track by_src|by_dst|by_both|by_rule|by_flow, count N, "
      "seconds N";
  struct name {
    std::string_view text;
    int number;
  };
  constexpr name kinds[] = {{"limit", 0}, {"threshold", 1}, {"both", 2}};
  constexpr name tracks[] = {{"by_src", 0}, {"by_dst", 1}, {"by_both", 2}, {"by_rule", 3}, {"by_flow", 4}};
  auto const number_of = [&](auto const& table, std::string_view word) {
    for (auto const& [text, number] : table) {
      if (text == word) return number;
    }
    reader.refuse(what, word, allowed);
  };
  rate_limit made;
  bool const is_filter = what.name == "detection_filter";
  if (is_filter) made.kind = rate_kind::detection_filter;
  unsigned seen = 0;
  for (auto const part : split(what.value, ',')) {
    auto const blank = part.find_first_of(" \t");
    auto const word = part.substr(0, blank);
    auto const value = blank == part.npos ? part.substr(part.size()) : trimmed(part.substr(blank));
    if ((word == "type" && value == "backoff") || word == "unique_on") {
      return reader.lacks(part, fmt::format("{} {}", what.name, word == "type" ? part : word),
                          gap_kind::not_in_language);
    }
    if (word == "type" && !is_filter) {
      made.kind = static_cast<rate_kind>(number_of(kinds, value));
      seen |= 1;
    } else if (word == "track") {
      made.track = static_cast<rate_track>(number_of(tracks, value));
      seen |= 2;
    } else if (word == "count") {
      made.count = read_rate_number(reader, what, word, value);
      seen |= 4;
    } else if (word == "seconds") {
      made.seconds = read_rate_number(reader, what, word, value);
      seen |= 8;
    } else {
      reader.refuse(what, part, allowed);
    }
  }
  if ((seen | (is_filter ? 1U : 0U)) != 15) reader.refuse(what, what.value, allowed);
  reader.made().rates.push_back(made);
}

void read_hint(rule_reader& reader, option const& what) { reader.expect_no_value(what); }

void read_no_alert(rule_reader& reader, option const& what) {
  reader.expect_no_value(what);
  reader.made().is_silent = true;
}

void read_bypass(rule_reader& reader, option const& what) {
  reader.expect_no_value(what);
  reader.made().bypasses = true;
}

void read_text(rule_reader& reader, option const& what) {
  if (what.name == "msg") {
    reader.take_only_once(what);
    auto const text = reader.in_quotes(what, nullptr);
    auto& message = reader.made().message;
    for (std::size_t at = 0; at < text.size(); ++at) {
      bool const is_escape = text[at] == '\\' && at + 1 < text.size();
      message.push_back(text[is_escape ? ++at : at]);
    }
    return;
  }
  // The name is a copy; the place is a part of the text.
  if (what.value.empty()) reader.fail(what.place, fmt::format("{} has no value; give one", what.name));
  if (what.name == "classtype") reader.made().classtype = what.value;
  if (what.name == "reference") reader.made().references.emplace_back(what.value);
  if (what.name == "metadata") reader.made().metadata.emplace_back(what.value);
  if (what.name == "target" && what.value != "src_ip" && what.value != "dest_ip") {
    reader.refuse(what, what.value, "src_ip or dest_ip");
  }
}

void read_identity(rule_reader& reader, option const& what) {
  if (what.name != "priority") reader.take_only_once(what);
  auto text = what.value;
  if (text.size() > 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  auto& made = reader.made();
  std::int64_t const least = what.name == "sid" ? 1 : 0;
  auto const value = static_cast<std::uint32_t>(reader.number(what, text, least, 0xffff'ffff));
  if (what.name == "priority") {
    made.priority = std::min(value, made.priority.value_or(value));  // the most urgent one counts, as in Suricata
    return;
  }
  auto& place = what.name == "sid" ? made.sid : what.name == "gid" ? made.gid : made.revision;
  place = value;
}

}  // namespace packetwarp::inspect
