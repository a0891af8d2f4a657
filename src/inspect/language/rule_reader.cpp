// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/language/rule_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "inspect/language/buffers.h"
#include "inspect/language/contradiction.h"
#include "inspect/language/keywords.h"

namespace packetwarp::inspect {
namespace {

constexpr std::string_view shape = "a rule is ACTION PROTOCOL ADDRESSES PORTS -> ADDRESSES PORTS (KEYWORDS)";

// The end of the next word of a header: white space outside of brackets.
[[nodiscard]] std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  int depth = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '[') ++depth;
    if (text[at] == ']') --depth;
    if (depth <= 0 && (text[at] == ' ' || text[at] == '\t')) break;
  }
  auto const word = text.substr(0, at);
  text = text.substr(at);
  return word;
}

// The end of a keyword: a semicolon that no backslash precedes.
[[nodiscard]] std::size_t end_of_keyword(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ';' && (at == 0 || text[at - 1] != '\\')) return at;
  }
  return text.npos;
}

[[nodiscard]] std::string in_small_letters(std::string_view text) {
  std::string made{text};
  for (auto& c : made) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return made;
}

}  // namespace

rule rule_reader::read(std::string_view text) {
  made_ = {};
  taken_.clear();
  places_.clear();
  buffer_ = rule_buffer::payload;
  made_.line = from_.place_of(text).line;
  auto const open = text.find('(');
  if (open == text.npos) fail(text, fmt::format("'(' is missing: {}", shape));
  if (text.back() != ')') fail(text.substr(text.size() - 1), "the rule's last ')' is missing");
  read_header(text.substr(0, open), text);
  read_keywords(text.substr(open + 1, text.size() - open - 2), text);
  finish(text);
  return std::move(made_);
}

void rule_reader::read_header(std::string_view header, std::string_view all) {
  std::array<std::string_view, 7> words;
  for (auto& word : words) {
    word = take_word(header);
    if (word.empty()) fail(all.substr(all.find('(')), fmt::format("the header ends too early: {}", shape));
  }
  if (auto const more = trimmed(header); !more.empty()) {
    fail(more, fmt::format("{} does not belong there: {}", in_quotation(more), shape));
  }
  read_action(words[0]);
  read_protocol(words[1]);
  made_.source = addresses(words[2]);
  made_.source_port = ports(words[3]);
  if (words[4] != "->" && words[4] != "<>" && words[4] != "=>") {
    fail(words[4], fmt::format("{} is no direction; give -> or <>", in_quotation(words[4])));
  }
  if (words[4] == "=>") lacks(words[4], "direction =>", gap_kind::not_in_language);
  made_.is_bidirectional = words[4] == "<>";
  made_.destination = addresses(words[5]);
  made_.destination_port = ports(words[6]);
  made_.names_ports = !is_word(words[3], "any") || !is_word(words[6], "any");
}

void rule_reader::read_action(std::string_view word) {
  constexpr std::string_view names[] = {"alert", "drop", "reject", "pass"};
  constexpr std::string_view others[] = {"rejectsrc", "rejectdst", "rejectboth", "config", "log"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (is_word(word, names[i])) {
      made_.action = static_cast<rule_action>(i);
      return;
    }
  }
  for (auto const& other : others) {
    if (is_word(word, other)) return lacks(word, fmt::format("action {}", other), gap_kind::not_in_language);
  }
  if (auto const begin = word.substr(0, word.find_first_of(":,")); begin != word) {  // firewall rules
    return lacks(word, fmt::format("action {}", in_quotation(word)), gap_kind::not_in_language);
  }
  fail(word, fmt::format("{} is no action; give alert, drop, reject or pass", in_quotation(word)));
}

void rule_reader::read_protocol(std::string_view word) {
  struct name {
    std::string_view text;
    rule_protocol protocol;
    std::uint8_t version;
  };
  using enum rule_protocol;
  constexpr name names[] = {{"ip", ip, 0},     {"any", ip, 0},    {"ip4", ip, 4},      {"ipv4", ip, 4},
                            {"ip6", ip, 6},    {"ipv6", ip, 6},   {"tcp", tcp, 0},     {"tcp-pkt", tcp, 0},
                            {"udp", udp, 0},   {"icmp", icmp, 0}, {"icmpv4", icmp, 4}, {"icmpv6", icmp, 6},
                            {"http", http, 0}, {"dns", dns, 0},   {"tls", tls, 0}};
  for (auto const& [text, protocol, version] : names) {
    if (!is_word(word, text)) continue;
    made_.protocol = protocol;
    made_.ip_version = version;
    made_.needs_packet_payload = text == "tcp-pkt";
    return;
  }
  lacks(word, fmt::format("protocol {}", in_quotation(word)), gap_kind::not_in_language);
}

void rule_reader::read_keywords(std::string_view text, std::string_view all) {
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    auto const end = end_of_keyword(text);
    if (end == text.npos) fail(text, fmt::format("{}: a ';' is missing after the keyword", in_quotation(text)));
    auto const word = trimmed(text.substr(0, end));
    text = text.substr(end + 1);
    if (word.empty()) continue;
    auto const colon = word.find(':');
    auto const place = trimmed(word.substr(0, colon));
    auto const name = in_small_letters(place);
    option const what{name, place, colon == word.npos ? word.substr(word.size()) : trimmed(word.substr(colon + 1))};
    if (name.empty()) fail(word, fmt::format("{}: the keyword before ':' is missing", in_quotation(word)));
    if (auto const read = find_keyword(name)) {
      read(*this, what);
      places_.resize(made_.payload.size(), place);
      continue;
    }
    lacks(place, name, gap_kind::not_in_language);
    // A buffer or a transformation of one: the contents after it look at other bytes.
    if (colon == word.npos) buffer_ = rule_buffer::unread;
  }
  if (made_.sid == 0) fail(all, "the rule has no sid; give sid:NUMBER, 1 to 4294967295");
}

void rule_reader::finish(std::string_view all) {
  using enum rule_buffer;
  if (auto const wrong = contradiction_of(made_)) fail(places_[wrong->check], wrong->message);
  auto const looks_at = [&](rule_buffer buffer) {
    return std::any_of(made_.payload.begin(), made_.payload.end(), [&](payload_check const& check) {
      return std::visit([&](auto const& one) { return one.where == buffer; }, check);
    });
  };
  bool const asks_dns = looks_at(dns_query) || looks_at(dns_query_dotted);
  bool const asks_tls = looks_at(tls_sni) || looks_at(tls_sni_dotted);
  auto const is = [&](rule_protocol protocol) { return made_.protocol == protocol; };
  if (asks_dns && !is(rule_protocol::dns) && !is(rule_protocol::udp)) {
    lacks(all, "dns.query in a protocol other than dns and udp", gap_kind::not_inspected);
  }
  if (asks_tls && !is(rule_protocol::tls) && !is(rule_protocol::tcp)) {
    lacks(all, "tls.sni in a protocol other than tls and tcp", gap_kind::not_inspected);
  }
  if (has_http_buffers(made_)) {
    if (!is(rule_protocol::http) && !is(rule_protocol::tcp)) {
      lacks(all, "buffers of HTTP in a protocol other than http and tcp", gap_kind::not_inspected);
    }
    if (messages_of(made_) == 0) lacks(all, "buffers of both HTTP's requests and responses", gap_kind::not_inspected);
  }
  if (made_.payload.size() > most_checks) {
    lacks(all, fmt::format("more than {} checks of payload", most_checks), gap_kind::not_inspected);
  }
}

std::uint32_t rule_reader::addresses(std::string_view text) {
  auto const [found, is_new] = into_.known_addresses.try_emplace(std::string{text}, into_.addresses.size());
  if (!is_new) return found->second;
  try {
    into_.addresses.push_back(parse_addresses(text, known_));
    into_.addresses.back().is_negated = has_negation(text, known_);
  } catch (group_error const& error) {
    into_.known_addresses.erase(found);
    fail(error.part, error.message);
  }
  return found->second;
}

std::uint32_t rule_reader::ports(std::string_view text) {
  auto const [found, is_new] = into_.known_ports.try_emplace(std::string{text}, into_.ports.size());
  if (!is_new) return found->second;
  try {
    into_.ports.push_back(parse_ports(text, known_));
  } catch (group_error const& error) {
    into_.known_ports.erase(found);
    fail(error.part, error.message);
  }
  return found->second;
}

content_check& rule_reader::last_content(option const& modifier) {
  auto const found = std::find_if(made_.payload.rbegin(), made_.payload.rend(),
                                  [](auto const& check) { return std::holds_alternative<content_check>(check); });
  if (found != made_.payload.rend()) return std::get<content_check>(*found);
  fail(modifier.place, fmt::format("{} is said of a content before it, and there is none", modifier.name));
}

void rule_reader::lacks(std::string_view part, std::string_view keyword, gap_kind kind) {
  for (auto const& known : made_.gaps) {
    if (known.keyword == keyword) return;
  }
  auto const [line, column] = from_.place_of(part);
  made_.gaps.push_back({std::string{keyword}, kind, column, line});
}

void rule_reader::refuse(option const& what, std::string_view part, std::string_view allowed) const {
  fail(part, fmt::format("{}: {} is not allowed; give {}", what.name, in_quotation(part), allowed));
}

std::int64_t rule_reader::number(option const& what, std::string_view part, std::int64_t least,
                                 std::int64_t most) const {
  auto digits = part;
  bool const is_hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (is_hex) digits.remove_prefix(2);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
  if (error != std::errc{} || end != digits.data() + digits.size() || value < least || value > most) {
    refuse(what, part, fmt::format("a number from {} to {}", least, most));
  }
  return value;
}

void rule_reader::expect_no_value(option const& what) const {
  if (!what.value.empty()) fail(what.value, fmt::format("{} has no value; write {};", what.name, what.name));
}

void rule_reader::take_only_once(option const& what) {
  if (std::find(taken_.begin(), taken_.end(), what.name) != taken_.end()) {
    fail(what.place, fmt::format("{} is given twice; keep one of the two", what.name));
  }
  taken_.emplace_back(what.name);
}

std::string_view rule_reader::in_quotes(option const& what, bool* is_negated) const {
  auto text = what.value;
  if (text.starts_with('!')) {
    if (is_negated == nullptr) refuse(what, text, "a text in double quotes, without '!'");
    *is_negated = true;
    text = trimmed(text.substr(1));
  }
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') {
    refuse(what, text, "a text in double quotes, with \\; \\: \\\" and \\\\ for ; : \" and \\");
  }
  return text.substr(1, text.size() - 2);
}

}  // namespace packetwarp::inspect
