// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0

#include "traffic/scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "base/error.h"

namespace packetwarp::traffic {
namespace {

// Keeps the error a single readable line, whatever the text.
std::string printable(std::string_view text) {
  constexpr std::size_t most = 400;
  std::string made{text.substr(0, most)};
  for (char& c : made) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > most ? made + "..." : made;
}

// The whole of a name or number such as "udp.port" or "192.0.2.1", else a character.
std::string_view word_at(std::string_view text, std::size_t position) {
  auto const is_of_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
           c == '-';
  };
  auto const rest = text.substr(position);
  auto const end = std::find_if_not(rest.begin(), rest.end(), is_of_word);
  return rest.substr(0, std::max<std::size_t>(static_cast<std::size_t>(end - rest.begin()), 1));
}

}  // namespace

bool scanner::accept(char wanted) {
  if (at_end() || text_[at_] != wanted) return false;
  ++at_;
  return true;
}

void scanner::expect(char wanted) {
  if (!accept(wanted)) fail(fmt::format("'{}'", wanted));
}

std::string_view scanner::until(std::string_view stops) {
  std::size_t const end = std::min(text_.find_first_of(stops, at_), text_.size());
  std::string_view const found = text_.substr(at_, end - at_);
  at_ = end;
  return found;
}

void scanner::fail(std::string_view expected, std::size_t position) const {
  std::string const found =
      position < text_.size() ? fmt::format("'{}'", printable(word_at(text_, position))) : std::string{"the end"};
  throw usage_error{fmt::format("{} \"{}\": column {}: expected {}, found {}", option_, printable(text_), position + 1,
                                expected, found)};
}

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t largest) {
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || value > largest) return std::nullopt;
  return value;
}

}  // namespace packetwarp::traffic
