// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/outside_port.h"
#include "function/nat44/session/shares.h"

// Ends sessions and frees their resources.
namespace packetwarp::nat {

inline constexpr std::uint32_t grace = 2;  // seconds of the coarse clock, so more than one

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t seconds_since(std::uint32_t then, std::uint32_t now) {
  return now > then ? now - then : 0;
}

// Whether a time-out is over, also if the clock was to count on just after `then`: it never ends early, and up to a
// second late.
[[nodiscard]] HOST_DEVICE constexpr bool is_over(std::uint32_t then, std::uint32_t now, std::uint32_t timeout) {
  return seconds_since(then, now) > timeout;
}

[[nodiscard]] HOST_DEVICE inline std::uint32_t timeout_of(timeouts const& limits, transport kind, std::uint8_t tcp) {
  if (kind == transport::udp) return limits.udp;
  if (kind == transport::icmp) return limits.icmp;
  // A session of unknown state may have connections: it is not cut.
  return tcp == 0 || is_established(tcp) ? limits.tcp_established : limits.tcp_transitory;
}

// A port forward may have had a port that no session gets, and its record is its own.
HOST_DEVICE inline void give_back(nat44_ref const& tables, std::uint32_t number, session const& held) {
  auto const& rare = *tables.rare;
  auto const kind = transport_of(held.outside);
  auto const port = endpoint_of(held.outside).port;
  bool const is_given = rare.gives_port(port);
  forget_session(tables, kind, endpoint_of(held.inside).address, held.pool(), held.slots());
  if (is_given) tables.free_ports(kind, held.pool()).give_back(port);
  if (number < rare.first_forward) tables.free_sessions().give_back(number);
}

// Makes a session's record free, if it is as it was seen; it is the caller's then, for neither packets nor aging touch
// it. held: read after `seen`, so it belongs to the same session.
[[nodiscard]] HOST_DEVICE inline bool vacate(nat44_ref const& tables, std::uint32_t number, life seen) {
  auto raw = seen.raw();
  return shared(tables.sessions[number].life)
      .compare_exchange_strong(raw, seen.vacated().raw(), cuda::memory_order_acq_rel);
}

// Frees the resources of a session that has been vacated, and that the index does not lead to.
HOST_DEVICE inline void release_vacated(nat44_ref const& tables, std::uint32_t number, session const& held) {
  auto const position = tables.position_of(transport_of(held.outside), held.pool(), endpoint_of(held.outside).port);
  shared(tables.outside[position]).store(0, cuda::memory_order_relaxed);
  give_back(tables, number, held);
}

// Frees the resources of a session that the index does not lead to; nothing if its word of life has changed since.
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
  // The journal has the end first: a session that the index no longer leads to may lose its record at any time
  // (expired.h).
  if (seen.from() == origin::packet) {
    tables.rare->journal.write(event::ended, number, held.inside, held.outside, now);
  }
  tables.index().remove(tables.hash(held.inside), number);
  return true;
}

// The same, and its resources are free at once: packets that have found the session may still be sent by it, but none
// is taken for a packet of the next session with its record or port (load_session() says why).
HOST_DEVICE inline bool end_at_once(nat44_ref const& tables, std::uint32_t number, session const& held,
                                    std::uint32_t now) {
  if (!vacate(tables, number, life{held.life})) return false;
  tables.index().remove(tables.hash(held.inside), number);
  // The journal has the end before another session can have the resources.
  tables.rare->journal.write(event::ended, number, held.inside, held.outside, now);
  shared(tables.rare->journal.cursors->evicted).fetch_add(1, cuda::memory_order_relaxed);
  release_vacated(tables, number, held);
  return true;
}

}  // namespace packetwarp::nat
