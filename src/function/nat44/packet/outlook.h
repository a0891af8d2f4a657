// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "burst/packet_view.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/packet/plain_packet.h"
#include "function/nat44/session/session.h"
#include "routing/router_ref.h"

// Finds out, on a CPU while other packets are worked on, the kind of a packet and the place of its session, one step
// per line of memory: from the header to the index of sessions, from there to the session. It reads only the packet and
// the tables.
namespace packetwarp::nat {

struct outlook {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

  std::uint64_t place{nowhere};  // the hash of the inside endpoint, or the position of the outside port
  std::uint64_t key{};           // of the endpoint that the session is found by
  std::uint32_t record{};        // 0: none. Only a guess, until the record has been read
};

// Looks ahead for plain packets only. process() looks up all other packets.
[[nodiscard, gnu::always_inline]] inline outlook look_ahead(nat44_ref const& tables, router_ref const& routes,
                                                            side from, packet_view packet) {
  auto const kind = kind_of_plain(packet, routes);
  if (kind == transport::none) return {};
  plain_packet const plain{packet.data};
  // Another GPU has its session.
  if (!tables.part.has((from != side::outside ? plain.source() : plain.destination()).port)) return {};
  if (from != side::outside) {
    auto const key = key_of(kind, plain.source());
    auto const hash = tables.hash(key);
    tables.index().prefetch(hash);
    return {hash, key};
  }
  auto const to = plain.destination();
  auto const at = tables.outside_addresses.find(to.address);
  if (at == 0 || (at & address_map::is_static) != 0) return {};
  auto const position = tables.position_of(kind, at - 1, to.port);
  __builtin_prefetch(tables.outside + position);
  return {position, key_of(kind, to)};
}

// The next step, after the fetches of look_ahead() have arrived.
[[nodiscard]] inline std::uint32_t guess_session(nat44_ref const& tables, side from, outlook const& seen) {
  if (seen.place == outlook::nowhere) return 0;
  auto const record =
      from == side::outside ? load_leading(tables.outside[seen.place]) : tables.index().guess(seen.place);
  if (record != 0) __builtin_prefetch(tables.sessions + record);
  return record;
}

}  // namespace packetwarp::nat
