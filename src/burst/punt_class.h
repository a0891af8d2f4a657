// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "burst/verdict.h"

namespace packetwarp {

// Punt reasons whose packets wait together for the control plane. Each class has a ring of its own, a share of the
// master's time and a limit for each port, so that no kind of packet from an outside host keeps the others waiting.
enum class punt_class : std::uint8_t {
  neighbours,     // ARP and neighbour discovery
  own_addresses,  // for this machine
  icmp_errors,    // answered by an ICMP error
  fragments,      // to be put together, or to be sent in pieces
  others          // the next hop's MAC address must be asked for
};
inline constexpr std::size_t punt_classes = 5;

[[nodiscard]] constexpr std::string_view to_string(punt_class of) {
  constexpr std::array<std::string_view, punt_classes> names{"neighbours", "own_addresses", "icmp_errors", "fragments",
                                                             "others"};
  auto const n = static_cast<std::size_t>(of);
  return n < names.size() ? names[n] : std::string_view{};
}

[[nodiscard]] constexpr punt_class class_of(punt_reason why) {
  switch (why) {
    case punt_reason::arp:
    case punt_reason::neighbour_discovery:
      return punt_class::neighbours;
    case punt_reason::to_kernel:
      return punt_class::own_addresses;
    case punt_reason::ttl_exceeded:
    case punt_reason::unreachable:
    case punt_reason::too_big:
      return punt_class::icmp_errors;
    case punt_reason::fragment:
    case punt_reason::needs_fragmentation:
      return punt_class::fragments;
    default:
      return punt_class::others;
  }
}

}  // namespace packetwarp
