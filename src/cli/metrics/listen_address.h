// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace packetwarp {

// The address of a TCP server.
struct listen_address {
  std::string host{"127.0.0.1"};  // an IPv4 or IPv6 address
  std::uint16_t port{};           // 0: any free port
};

// "9464", "0.0.0.0:9464", "[::1]:9464". Throws usage_error that names `what`.
[[nodiscard]] listen_address parse_listen_address(std::string_view text, std::string_view what);

// The text as it was given; an IPv6 address in brackets.
[[nodiscard]] std::string to_text(listen_address const& address);

}  // namespace packetwarp
