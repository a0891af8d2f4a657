// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <variant>

#include "address/interface_index.h"
#include "address/ip_address.h"

namespace packetwarp {

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
