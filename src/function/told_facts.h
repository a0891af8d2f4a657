// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "feature/packet_facts.h"

// Packets as the hosts inside a translated network know them. Joint work comes before the hooks that translate a
// packet's destination, so the answer to an inside host would have its outside address there, and would belong to
// another flow than its request. A stage that translates tells joint work the destination that it is going to
// write: both directions of a connection then have the same ends, as in the FORWARD chain of netfilter.
namespace packetwarp {

// Changes the facts of a packet to the facts that joint work takes. headers: in one piece, which the facts were read
// from.
template <class T>
concept tells_facts = requires(T const& tell, packet_view headers, feature::packet_facts& facts) {
  tell(headers, facts);
};
struct as_received {
  HOST_DEVICE void operator()(packet_view, feature::packet_facts&) const {}
};

// Whether a stage translates destinations. tell_destination() writes the later one to the facts, as far as it is
// known, and changes no table.
template <class S>
concept tells_destinations = requires(packet_view headers, feature::packet_facts& facts,
                                      typename S::ref const& tables) {
  S::tell_destination(headers, facts, tables);
};

// found: by wire::parse().
[[nodiscard]] HOST_DEVICE feature::packet_facts told_facts_of(packet_view packet, wire::layers const& found,
                                                              tells_facts auto const& tell) {
  auto facts = feature::facts_of(packet.data, found, packet.length);
  tell(packet, facts);
  return facts;
}
[[nodiscard]] HOST_DEVICE feature::packet_facts told_facts_of(packet_view packet, tells_facts auto const& tell) {
  return told_facts_of(packet, wire::parse(packet.data, packet.contiguous, packet.length), tell);
}

// By S's gather(), which takes a teller after its room if it makes facts.
template <class S>
HOST_DEVICE void gather_told(packet_view view, unsigned n, auto const& tables, auto& room,
                             tells_facts auto const& tell) {
  if constexpr (requires { S::gather(view, n, tables, room, tell); }) {
    S::gather(view, n, tables, room, tell);
  } else {
    S::gather(view, n, tables, room);
  }
}
// The same by S's foresee(). Host code.
template <class S>
void foresee_told(packet_view view, auto const& tables, auto& seen, tells_facts auto const& tell) {
  if constexpr (requires { S::foresee(view, tables, seen, tell); }) {
    S::foresee(view, tables, seen, tell);
  } else {
    S::foresee(view, tables, seen);
  }
}

}  // namespace packetwarp
