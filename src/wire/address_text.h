// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "wire/address.h"

namespace packetwarp::wire {

// Addresses as people write them. For set-up and reports: host only, and printing allocates.

// "02:00:00:00:00:01": six pairs of hexadecimal digits.
[[nodiscard]] inline std::optional<mac_address> parse_mac(std::string_view text) {
  auto const digit = [](char c) -> int {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  if (text.size() != 17) return std::nullopt;
  mac_address made;
  for (std::size_t i = 0; i < 6; ++i) {
    int const high = digit(text[3 * i]);
    int const low = digit(text[3 * i + 1]);
    if (high < 0 || low < 0 || (i < 5 && text[3 * i + 2] != ':')) return std::nullopt;
    made.octets[i] = static_cast<std::byte>(high << 4 | low);
  }
  return made;
}

// "10.0.0.1": four decimal numbers.
[[nodiscard]] inline std::optional<ipv4_address> parse_ipv4(std::string_view text) {
  std::array<std::byte, 4> bytes{};
  if (inet_pton(AF_INET, std::string{text}.c_str(), bytes.data()) != 1) return std::nullopt;
  return ipv4_address{load_be<std::uint32_t>(bytes.data())};
}

// "2001:db8::1" (RFC 4291, 2.2).
[[nodiscard]] inline std::optional<ipv6_address> parse_ipv6(std::string_view text) {
  std::array<std::byte, 16> bytes{};
  if (inet_pton(AF_INET6, std::string{text}.c_str(), bytes.data()) != 1) return std::nullopt;
  return load_ipv6_address(bytes.data());
}

[[nodiscard]] inline std::string to_text(mac_address const& address) {
  std::array<char, 18> text{};
  auto const at = [&](std::size_t i) { return static_cast<unsigned>(address.octets[i]); };
  std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", at(0), at(1), at(2), at(3), at(4), at(5));
  return text.data();
}

[[nodiscard]] inline std::string to_text(ipv4_address address) {
  std::array<std::byte, 4> bytes{};
  store_be<std::uint32_t>(bytes.data(), address.number);
  std::array<char, INET_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET, bytes.data(), text.data(), text.size());
}

// The canonical form (RFC 5952).
[[nodiscard]] inline std::string to_text(ipv6_address address) {
  std::array<std::byte, 16> bytes{};
  store_ipv6_address(bytes.data(), address);
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
}

}  // namespace packetwarp::wire
