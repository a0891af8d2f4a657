// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/find_session.h"
#include "function/nat44/session/session_end.h"

// Creates and removes port forwards as configured, while packets go through the table. Like aging, the sweeping thread
// does it, one record at a time; steps that have to wait until packets are done with a session belong to a later sweep.
namespace packetwarp::nat {

// Whether packets' sessions end for a port forward, or the port forward waits for their end. On the host it waits while
// a GPU has the true tables: the journal tells of the end.
enum class occupant : std::uint8_t { ends, is_awaited };

// Handles a packets' session that has the endpoint or port of a port forward.
HOST_DEVICE inline void make_way(nat44_ref const& tables, found_session const& found, occupant others,
                                 std::uint32_t now) {
  auto const held = load_provable(tables.sessions[found.number]);
  life const seen{held.life};
  bool const is_there = held.inside == found.held.inside && held.outside == found.held.outside;
  bool const is_packets = is_there && seen.at() == phase::live && seen.from() == origin::packet;
  if (is_packets && others == occupant::ends) (void)end_session(tables, found.number, held, now);
}

HOST_DEVICE inline bool install_forward(nat44_ref const& tables, std::uint32_t number, forward_order const& wanted,
                                        occupant others, std::uint32_t now) {
  auto const kind = transport_of(wanted.outside);
  auto const outside = endpoint_of(wanted.outside);
  auto const at = tables.outside_addresses.find(outside.address);
  if (at == 0 || (at & address_map::is_static) != 0) return false;
  auto const pool = at - 1;
  if (auto const there = find_inside(tables, wanted.inside); there.number != 0) {
    make_way(tables, there, others, now);
    return false;
  }
  auto const ports = tables.free_ports(kind, pool);
  auto& port = tables.outside[tables.position_of(kind, pool, outside.port)];
  bool const is_given = tables.rare->gives_port(outside.port);
  bool const is_free = is_given ? ports.take_exactly(outside.port) : shared(port).load(cuda::memory_order_relaxed) == 0;
  if (!is_free) {
    auto const there = find_outside(tables, kind, pool, outside);
    if (there.number != 0) make_way(tables, there, others, now);
    return false;
  }
  std::uint32_t slots = 0;
  (void)count_session(tables, endpoint_of(wanted.inside).address, slots, reached::counts);
  store_session(tables.sessions[number], {wanted.inside, wanted.outside,
                                          life{now, phase::live, origin::configured, 0}.raw(), place_of(slots, pool)});
  auto const there = tables.index().find_or_insert(
      tables.hash(wanted.inside),
      [&](std::uint32_t n) {
        auto const held = load_session(tables.sessions[n]);
        return held.inside == wanted.inside && life{held.life}.is_live();
      },
      [number] { return number; });
  if (there == number) {
    shared(port).store(number, cuda::memory_order_release);
    return true;
  }
  // A packet was faster, or the index is full.
  take_back(tables.sessions[number]);
  if (is_given) ports.give_back(outside.port);
  forget_session(tables, kind, endpoint_of(wanted.inside).address, pool, slots);
  return false;
}

// A step of a record towards its configured port forward. True: it is done.
HOST_DEVICE inline bool settle_forward(nat44_ref const& tables, std::uint32_t number, occupant others,
                                       std::uint32_t now) {
  auto const& order = tables.rare->forwards[number - tables.rare->first_forward];
  forward_order const wanted{load_settled(order.inside), load_settled(order.outside)};
  auto const held = load_provable(tables.sessions[number]);
  life const seen{held.life};
  if (seen.is_live()) {
    if (held.inside == wanted.inside && held.outside == wanted.outside) return true;
    (void)end_session(tables, number, held, now);
    return false;
  }
  if (seen.at() == phase::ended) {
    if (seconds_since(seen.used(), now) >= grace) release(tables, number, held);
    return false;
  }
  return wanted.inside == 0 || install_forward(tables, number, wanted, others, now);
}

}  // namespace packetwarp::nat
