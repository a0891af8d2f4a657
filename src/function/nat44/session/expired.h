// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/session_end.h"

// Sessions whose time is over give back their resources as soon as these are needed: a sweep may not have reached them
// yet, or has ended them and waits out its grace.
namespace packetwarp::nat {

// Sessions that a packet that finds no room looks at, one after the other. The next packet looks at the sessions after
// them: so one pass around the table finds all expired sessions, however few they are.
inline constexpr std::uint32_t expired_looked_at = 8;

// Releases the resources of a session that has ended. The sweep that ends a session takes it out of the index
// afterwards, and must not find the next session of its record there: until then the record is left to the sweep.
[[nodiscard]] HOST_DEVICE inline bool release_ended(nat44_ref const& tables, std::uint32_t number,
                                                    session const& held) {
  auto const is_it = [number](std::uint32_t other) { return other == number; };
  if (tables.index().find(tables.hash(held.inside), is_it) != 0) return false;
  if (!vacate(tables, number, life{held.life})) return false;
  release_vacated(tables, number, held);
  return true;
}

[[nodiscard]] HOST_DEVICE inline bool release_if_over(nat44_ref const& tables, std::uint32_t number,
                                                      std::uint32_t now) {
  if (number == 0 || number >= tables.rare->first_forward) return false;
  auto const held = load_provable(tables.sessions[number]);
  life const seen{held.life};
  if (seen.at() == phase::ended) return release_ended(tables, number, held);
  if (seen.at() != phase::live || seen.from() != origin::packet) return false;
  auto const limit = timeout_of(tables.rare->timeouts, transport_of(held.inside), seen.tcp());
  return is_over(seen.used(), now, limit) && end_at_once(tables, number, held, now);
}

// number_of: gives the number of the record at a place from 0 to places - 1, or 0. True: something has been freed.
template <class NumberOf>
[[nodiscard]] HOST_DEVICE inline bool release_expired(nat44_ref const& tables, std::uint32_t places, std::uint32_t now,
                                                      NumberOf&& number_of) {
  auto const looked_at =
      shared(tables.rare->journal.cursors->looked_at).fetch_add(expired_looked_at, cuda::memory_order_relaxed);
  auto const start = static_cast<std::uint32_t>(looked_at % places);
  bool is_freed = false;
  for (std::uint32_t i = 0; i < expired_looked_at; ++i) {
    is_freed = release_if_over(tables, number_of((start + i) % places), now) || is_freed;
  }
  return is_freed;
}

}  // namespace packetwarp::nat
