// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "routing/router_ref.h"

struct rte_mbuf;

namespace packetwarp {

// Time as the caller of the control plane gives it: since any moment, never backwards.
using control_time = std::chrono::nanoseconds;

// The reason why a punted packet did not leave. Every reason is a named counter of the caller's.
enum class control_drop : std::uint8_t {
  malformed,        // the packet is damaged, or no host may send it
  arp_taken,        // read, and no longer needed
  arp_ignored,      // neither about an address of the interface it came in by, nor about a known neighbour
  discovery_taken,  // the same for neighbour discovery
  discovery_ignored,
  address_conflict,  // another host claims an address that the router answers for (RFC 5227)
  neighbour_silent,  // the next hop did not answer questions for its MAC address
  hold_full,         // too many packets wait for MAC addresses, or too many neighbours are being asked for theirs
  neighbours_full,   // no room for another neighbour of its interface, or for another host
  asking_limited,    // more questions for MAC addresses than the limit allows
  time_exceeded,     // answered by ICMP, as are the next three
  no_route,
  too_big,
  host_unreachable,
  fragmented,          // sent in pieces
  icmp_not_allowed,    // no ICMP error may be sent about it (RFC 1812, 4.3.2.7; RFC 4443, 2.4)
  icmp_limited,        // more ICMP errors than the limit allows
  no_way_back,         // the router's own packet has no route to its destination
  no_memory,           // the pool is empty
  fragments_overlap,   // fragments of one datagram overlap (RFC 5722)
  fragments_too_many,  // too many incomplete datagrams, or too many fragments of one
  fragments_timeout,   // the other fragments did not come
  put_together,        // a fragment whose datagram was put back as one packet, which counts instead
  count
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(control_drop::count)> control_drop_names{
    "malformed",          "arp_taken",         "arp_ignored", "discovery_taken",  "discovery_ignored",
    "address_conflict",   "neighbour_silent",  "hold_full",   "neighbours_full",  "asking_limited",
    "time_exceeded",      "no_route",          "too_big",     "host_unreachable", "fragmented",
    "icmp_not_allowed",   "icmp_limited",      "no_way_back", "no_memory",        "fragments_overlap",
    "fragments_too_many", "fragments_timeout", "put_together"};
[[nodiscard]] constexpr std::string_view to_string(control_drop why) {
  auto const n = static_cast<std::size_t>(why);
  return n < control_drop_names.size() ? control_drop_names[n] : std::string_view{};
}

// Names that count packets which have served their purpose: their drop is not a loss.
[[nodiscard]] constexpr bool is_work_done(std::string_view name) {
  for (auto const why : {control_drop::arp_taken, control_drop::arp_ignored, control_drop::discovery_taken,
                         control_drop::discovery_ignored, control_drop::fragmented, control_drop::put_together}) {
    if (name == to_string(why)) return true;
  }
  return false;
}

// The action on a packet. The packet is the caller's from then on.
struct control_action {
  enum class kind : std::uint8_t {
    send,       // a whole frame: leaves by `interface`
    put_back,   // goes before the function again, as if it had come in by `interface`
    to_kernel,  // to the kernel interface of the port of `interface`
    drop,       // free it and count `why`
    lost        // count `why`: the packet was copied and freed before
  };
  kind what{};
  control_drop why{};  // of drop and lost only
  interface_index interface {};
  rte_mbuf* packet{};  // nullptr for lost
};

// The list of actions that the control plane fills, in order. The caller empties it.
using control_actions = std::vector<control_action>;

}  // namespace packetwarp
