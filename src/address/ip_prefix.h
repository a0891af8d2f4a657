// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "address/ip_address.h"

namespace packetwarp {

// An address and the number of its first bits that count: a prefix (RFC 4632), or an interface's address in its prefix.
struct ip_prefix {
  ip_address address;
  unsigned length{};
  friend bool operator==(ip_prefix const&, ip_prefix const&) = default;
};

// "10.0.0.0/8"
[[nodiscard]] std::string to_text(ip_prefix const& prefix);

// The prefix itself, from an address in it.
[[nodiscard]] ip_prefix without_host_bits(ip_prefix const& prefix);

// Whether the address is in the prefix.
[[nodiscard]] bool covers(ip_prefix const& prefix, ip_address const& address);

// The address with every host bit set (RFC 919). Nothing for prefixes without a broadcast address: IPv6, links of two
// hosts and single hosts (RFC 3021).
[[nodiscard]] std::optional<ip_address> broadcast_of(ip_prefix const& prefix);

// The subnet-router anycast address: the prefix with no host bit set, at which each router of the subnet may be reached
// (RFC 4291, 2.6.1). Nothing for IPv4, links of two hosts (RFC 6164) and single hosts, and for link-local addresses.
[[nodiscard]] std::optional<ip_address> anycast_of(ip_prefix const& prefix);

// For an address that no host of the prefix may have, the words for it: "the network address of 192.0.2.0/24", without
// a host bit, or "the broadcast address of 192.0.2.0/24", with all of them (RFC 919). Empty for all other addresses,
// and for an address outside the prefix. IPv6, links of two hosts and single hosts have neither of the two (RFC 3021).
[[nodiscard]] std::string reserved_use(ip_prefix const& prefix, ip_address const& address);

// For ordered containers of prefixes: host bits do not count.
struct prefix_less {
  [[nodiscard]] bool operator()(ip_prefix const& a, ip_prefix const& b) const { return order(a) < order(b); }

 private:
  [[nodiscard]] static std::tuple<std::size_t, std::uint64_t, std::uint64_t, unsigned> order(ip_prefix const& prefix);
};

}  // namespace packetwarp
