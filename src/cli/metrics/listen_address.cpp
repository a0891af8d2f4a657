// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/metrics/listen_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <charconv>

#include "base/error.h"

namespace packetwarp {
namespace {

[[nodiscard]] bool is_address(int family, std::string const& host) {
  in6_addr bytes{};
  return ::inet_pton(family, host.c_str(), &bytes) == 1;
}

[[nodiscard]] bool is_ipv6(std::string_view host) { return host.find(':') != std::string_view::npos; }

}  // namespace

listen_address parse_listen_address(std::string_view text, std::string_view what) {
  auto const refuse = [&] {
    throw usage_error(
        fmt::format("{}: '{}' is not [ADDRESS:]PORT, such as 9464, 0.0.0.0:9464 or [::1]:9464", what, text));
  };
  listen_address made;
  auto const colon = text.rfind(':');
  auto const port = colon == std::string_view::npos ? text : text.substr(colon + 1);
  auto const [end, error] = std::from_chars(port.data(), port.data() + port.size(), made.port);
  if (error != std::errc{} || end != port.data() + port.size()) refuse();
  if (colon == std::string_view::npos) return made;
  auto host = text.substr(0, colon);
  bool const in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) host = host.substr(1, host.size() - 2);
  made.host = host;
  if (in_brackets != is_ipv6(host) || !is_address(in_brackets ? AF_INET6 : AF_INET, made.host)) refuse();
  return made;
}

std::string to_text(listen_address const& address) {
  return is_ipv6(address.host) ? fmt::format("[{}]:{}", address.host, address.port)
                               : fmt::format("{}:{}", address.host, address.port);
}

}  // namespace packetwarp
