// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/outside_port.h"
#include "function/nat44/session/shares.h"

// How a session comes to its end, and what it held is free again.
namespace packetwarp::nat {

inline constexpr std::uint32_t grace = 2;  // seconds of the coarse clock, so more than one

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t seconds_since(std::uint32_t then, std::uint32_t now) {
  return now > then ? now - then : 0;
}

[[nodiscard]] HOST_DEVICE inline std::uint32_t timeout_of(timeouts const& limits, transport kind, std::uint8_t tcp) {
  if (kind == transport::udp) return limits.udp;
  if (kind == transport::icmp) return limits.icmp;
  // One of which nothing is known may have connections: it is not cut.
  return tcp == 0 || is_established(tcp) ? limits.tcp_established : limits.tcp_transitory;
}

// A port forward may have had a port that no session gets, and its record is its own.
HOST_DEVICE inline void give_back(nat44_ref const& tables, std::uint32_t number, session const& held) {
  auto const& rare = *tables.rare;
  auto const kind = transport_of(held.outside);
  auto const port = endpoint_of(held.outside).port;
  bool const is_given = port >= rare.first_port && port <= rare.last_port;
  forget_session(tables, kind, endpoint_of(held.inside).address, held.pool(), held.slots());
  if (is_given) tables.free_ports(kind, held.pool()).give_back(port);
  if (number < rare.first_forward) tables.free_sessions().give_back(number);
}

// Makes a session's record nobody's, if it is as it was seen: the caller's then, for neither packets nor aging touch
// it. held: what was read after seen, which it then belongs to.
[[nodiscard]] HOST_DEVICE inline bool vacate(nat44_ref const& tables, std::uint32_t number, life seen) {
  auto raw = seen.raw();
  return shared(tables.sessions[number].life)
      .compare_exchange_strong(raw, seen.vacated().raw(), cuda::memory_order_acq_rel);
}

// What a session held that has been vacated, and that the index does not lead to.
HOST_DEVICE inline void release_vacated(nat44_ref const& tables, std::uint32_t number, session const& held) {
  auto const position = tables.position_of(transport_of(held.outside), held.pool(), endpoint_of(held.outside).port);
  shared(tables.outside[position]).store(0, cuda::memory_order_relaxed);
  give_back(tables, number, held);
}

// What a session held that the index does not lead to; nothing, if it is no longer as it was seen.
HOST_DEVICE inline void release(nat44_ref const& tables, std::uint32_t number, session const& held) {
  if (vacate(tables, number, life{held.life})) release_vacated(tables, number, held);
}

// Ends a session as it was seen; false: a packet was faster, or it has ended.
HOST_DEVICE inline bool end_session(nat44_ref const& tables, std::uint32_t number, session const& held,
                                    std::uint32_t now) {
  life const seen{held.life};
  auto raw = seen.raw();
  if (!shared(tables.sessions[number].life)
           .compare_exchange_strong(raw, seen.ended(now).raw(), cuda::memory_order_acq_rel)) {
    return false;
  }
  // Told first: what the index no longer leads to may be another's at any time (expired.h).
  if (seen.from() == origin::packet) {
    tables.rare->journal.write(event::ended, number, held.inside, held.outside, now);
  }
  tables.index().remove(tables.hash(held.inside), number);
  return true;
}

// The same, and what it held is free at once: packets that have found it may still be sent by it, but none is taken for
// the next session's that gets its record or port (load_session() says why).
HOST_DEVICE inline bool end_at_once(nat44_ref const& tables, std::uint32_t number, session const& held,
                                    std::uint32_t now) {
  if (!vacate(tables, number, life{held.life})) return false;
  tables.index().remove(tables.hash(held.inside), number);
  // Told before what it held may be told of as another's.
  tables.rare->journal.write(event::ended, number, held.inside, held.outside, now);
  shared(tables.rare->journal.cursors->evicted).fetch_add(1, cuda::memory_order_relaxed);
  release_vacated(tables, number, held);
  return true;
}

}  // namespace packetwarp::nat
