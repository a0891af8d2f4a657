// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/value_text.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>

#include "flow/lexer.h"
#include "wire/address_text.h"

namespace packetwarp::flow {
namespace {

constexpr std::array<std::string_view, 10> flag_words{"0", "1", "false", "true", "no", "yes", "N", "Y", "off", "on"};

// All ones in the low `bits`.
constexpr std::uint64_t ones(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Parses "02:00:00:00:00:01", or three groups of four digits, as DPDK does.
std::optional<field_value> parse_mac(std::string_view word) {
  std::size_t const digits_a_group = word.size() == 17 ? 2 : word.size() == 14 ? 4 : 0;
  if (digits_a_group == 0) return std::nullopt;
  field_value made;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (i % (digits_a_group + 1) == digits_a_group) {
      if (word[i] != ':') return std::nullopt;
      continue;
    }
    int const digit = hex_digit(word[i]);
    if (digit < 0) return std::nullopt;
    made.bytes[digits / 2] |= static_cast<std::byte>(digits % 2 == 0 ? digit << 4 : digit);
    ++digits;
  }
  return made;
}

std::optional<field_value> parse_ip(int family, std::string_view word) {
  field_value made;
  if (inet_pton(family, std::string{word}.c_str(), made.bytes.data()) != 1) return std::nullopt;
  return made;
}

std::optional<field_value> parse_number_of(field const& of, std::string_view word) {
  auto const number = parse_number(word);
  if (!number || (!of.is_bit_field() && *number > ones(of.width()))) return std::nullopt;
  return from_number(of, *number);
}

}  // namespace

std::uint64_t to_number(field const& of, field_value const& value) {
  std::uint64_t number = 0;
  for (unsigned i = 0; i < of.value_bytes(); ++i) number = number << 8 | std::to_integer<unsigned>(value.bytes[i]);
  return number;
}

field_value from_number(field const& of, std::uint64_t number) {
  number &= ones(of.width());
  field_value made;
  for (unsigned i = of.value_bytes(); i > 0; --i, number >>= 8) made.bytes[i - 1] = static_cast<std::byte>(number);
  return made;
}

std::optional<std::uint64_t> parse_number(std::string_view word) {
  std::string const text{word};
  char* end = nullptr;
  errno = 0;
  auto const number = std::strtoumax(text.c_str(), &end, 0);
  if (errno != 0 || text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  return number;
}

std::optional<bool> parse_flag(std::string_view word) {
  auto const* const found = std::find(flag_words.begin(), flag_words.end(), word);
  if (found == flag_words.end()) return std::nullopt;
  return (found - flag_words.begin()) % 2 == 1;
}

std::optional<field_value> parse_prefix(field const& of, std::string_view word) {
  auto const ones_asked_for = parse_number(word);
  if (!ones_asked_for || *ones_asked_for > of.width()) return std::nullopt;
  field_value made;
  made.bytes[0] = static_cast<std::byte>(*ones_asked_for);
  return made;
}

std::optional<field_value> parse_value(field const& of, std::string_view word) {
  switch (of.kind) {
    case value_kind::number:
      return parse_number_of(of, word);
    case value_kind::flag: {
      auto const flag = parse_flag(word);
      return flag ? std::optional{from_number(of, *flag ? 1 : 0)} : std::nullopt;
    }
    case value_kind::mac:
      return parse_mac(word);
    case value_kind::ipv4: {
      auto const address = parse_ip(AF_INET, word);
      return address ? address : parse_number_of(of, word);
    }
    case value_kind::ipv6:
      return parse_ip(AF_INET6, word);
  }
  return std::nullopt;
}

std::string describe_value(field const& of, relation how) {
  if (how == relation::prefix) return fmt::format("a prefix length from 0 to {}", of.width());
  switch (of.kind) {
    case value_kind::number:
      return fmt::format("a number from 0 to {}", ones(of.width()));
    case value_kind::flag:
      return "one of " + to_list(flag_words);
    case value_kind::mac:
      return "a MAC address such as 02:00:00:00:00:01";
    case value_kind::ipv4:
      return "an IPv4 address such as 10.0.0.1";
    case value_kind::ipv6:
      return "an IPv6 address such as 2001:db8::1";
  }
  return {};
}

std::string to_text(field const& of, setting const& set) {
  auto const* const bytes = set.value.bytes.data();
  if (set.how == relation::prefix) return fmt::format("{}", std::to_integer<unsigned>(set.value.bytes[0]));
  switch (of.kind) {
    case value_kind::number:
    case value_kind::flag:
      return fmt::format("{}", to_number(of, set.value));
    case value_kind::mac:
      return wire::to_text(wire::load_mac(bytes));
    case value_kind::ipv4:
      return wire::to_text(wire::ipv4_address{wire::load_be<std::uint32_t>(bytes)});
    case value_kind::ipv6:
      return wire::to_text(wire::load_ipv6_address(bytes));
  }
  return {};
}

}  // namespace packetwarp::flow
