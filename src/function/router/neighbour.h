// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <variant>

#include "function/router/router_ref.h"
#include "wire/address.h"
#include "wire/address_text.h"

namespace packetwarp {

// For set-up and the control plane: the data path knows the IP version of its packet.
using ip_address = std::variant<wire::ipv4_address, wire::ipv6_address>;

[[nodiscard]] inline std::string to_text(ip_address const& address) {
  return std::visit([](auto a) { return wire::to_text(a); }, address);
}

// An address and the number of its first bits that count: a prefix (RFC 4632), or an interface's address in its prefix.
struct ip_prefix {
  ip_address address;
  unsigned length{};
  friend bool operator==(ip_prefix const&, ip_prefix const&) = default;
};

// A neighbour: a host or router on the wire of an interface.
struct neighbour_key {
  interface_index interface {};
  ip_address address;
  friend bool operator==(neighbour_key const&, neighbour_key const&) = default;
};

// For ordered containers of neighbours.
struct neighbour_less {
  [[nodiscard]] bool operator()(neighbour_key const& a, neighbour_key const& b) const { return order(a) < order(b); }

 private:
  [[nodiscard]] static std::tuple<interface_index, std::size_t, std::uint64_t, std::uint64_t> order(
      neighbour_key const& neighbour) {
    auto const* const ipv4 = std::get_if<wire::ipv4_address>(&neighbour.address);
    auto const bits =
        ipv4 != nullptr ? wire::ipv6_address{0, ipv4->number} : std::get<wire::ipv6_address>(neighbour.address);
    return {neighbour.interface, neighbour.address.index(), bits.high, bits.low};
  }
};

}  // namespace packetwarp
