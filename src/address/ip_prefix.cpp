// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "address/ip_prefix.h"

#include <fmt/format.h>

namespace packetwarp {
namespace {

// The address as 128 bits, an IPv4 address at the top, without the bits after the prefix.
[[nodiscard]] wire::ipv6_address masked_bits(ip_address const& address, unsigned length) {
  auto const* const ipv4 = std::get_if<wire::ipv4_address>(&address);
  auto const bits = ipv4 != nullptr ? wire::ipv6_address{std::uint64_t{ipv4->number} << 32, 0}
                                    : std::get<wire::ipv6_address>(address);
  auto const ones = [](unsigned n) { return n == 0 ? 0 : n >= 64 ? ~std::uint64_t{0} : ~(~std::uint64_t{0} >> n); };
  return {bits.high & ones(length), bits.low & ones(length > 64 ? length - 64 : 0)};
}

}  // namespace

std::string to_text(ip_prefix const& prefix) { return fmt::format("{}/{}", to_text(prefix.address), prefix.length); }

ip_prefix without_host_bits(ip_prefix const& prefix) {
  auto const bits = masked_bits(prefix.address, prefix.length);
  bool const is_ipv4 = std::holds_alternative<wire::ipv4_address>(prefix.address);
  if (is_ipv4) return {wire::ipv4_address{static_cast<std::uint32_t>(bits.high >> 32)}, prefix.length};
  return {bits, prefix.length};
}

bool covers(ip_prefix const& prefix, ip_address const& address) {
  return prefix.address.index() == address.index() &&
         masked_bits(prefix.address, prefix.length) == masked_bits(address, prefix.length);
}

std::optional<ip_address> broadcast_of(ip_prefix const& prefix) {
  auto const* const own = std::get_if<wire::ipv4_address>(&prefix.address);
  if (own == nullptr || prefix.length > 30) return std::nullopt;
  return wire::ipv4_address{own->number | 0xffff'ffffU >> prefix.length};
}

std::optional<ip_address> anycast_of(ip_prefix const& prefix) {
  bool const is_ipv6 = std::holds_alternative<wire::ipv6_address>(prefix.address);
  if (!is_ipv6 || prefix.length > 126 || is_link_local(prefix.address)) return std::nullopt;
  return without_host_bits(prefix).address;
}

std::string reserved_use(ip_prefix const& prefix, ip_address const& address) {
  auto const* const ipv4 = std::get_if<wire::ipv4_address>(&address);
  if (ipv4 == nullptr || prefix.length > 30 || !covers(prefix, address)) return {};
  auto const hosts = 0xffff'ffffU >> prefix.length;
  auto const host = ipv4->number & hosts;
  if (host != 0 && host != hosts) return {};
  return fmt::format("the {} address of {}", host == 0 ? "network" : "broadcast", to_text(without_host_bits(prefix)));
}

std::tuple<std::size_t, std::uint64_t, std::uint64_t, unsigned> prefix_less::order(ip_prefix const& prefix) {
  auto const bits = masked_bits(prefix.address, prefix.length);
  return {prefix.address.index(), bits.high, bits.low, prefix.length};
}

}  // namespace packetwarp
