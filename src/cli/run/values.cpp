// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/values.h"

#include <charconv>

#include "base/units.h"

namespace packetwarp {

ip_address address_at(yaml_place const& place) {
  auto const text = place.text();
  if (auto const found = wire::parse_ipv4(text)) return *found;
  if (auto const found = wire::parse_ipv6(text)) return *found;
  place.refuse(fmt::format("'{}' is no IP address, such as 192.0.2.1 or 2001:db8::1", text));
}

wire::ipv4_address ipv4_at(yaml_place const& place) {
  auto const text = place.text();
  if (auto const found = wire::parse_ipv4(text)) return *found;
  place.refuse(fmt::format("'{}' is no IPv4 address, such as 192.0.2.1", text));
}

wire::mac_address mac_at(yaml_place const& place) {
  auto const text = place.text();
  if (auto const found = wire::parse_mac(text)) return *found;
  place.refuse(fmt::format("'{}' is no MAC address, such as 02:00:00:00:00:01", text));
}

std::chrono::nanoseconds duration_at(yaml_place const& place) { return parse_duration(place.text(), place.told()); }

ip_prefix prefix_at(yaml_place const& place) {
  auto const text = place.text();
  auto const slash = text.find('/');
  auto const address = text.substr(0, slash);
  unsigned length = 0;
  auto const ipv4 = wire::parse_ipv4(address);
  auto const ipv6 = wire::parse_ipv6(address);
  bool good = slash != std::string::npos && (ipv4 || ipv6);
  if (good) {
    auto const* const end = text.data() + text.size();
    auto const [behind, error] = std::from_chars(text.data() + slash + 1, end, length);
    good = error == std::errc{} && behind == end && length <= (ipv4 ? 32U : 128U);
  }
  if (!good) place.refuse(fmt::format("'{}' is no prefix, such as 192.0.2.0/24 or 2001:db8::/32", text));
  return {ipv4 ? ip_address{*ipv4} : ip_address{*ipv6}, length};
}

}  // namespace packetwarp
