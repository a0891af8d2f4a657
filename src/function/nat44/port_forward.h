// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/find_session.h"
#include "function/nat44/nat44_ref.h"

// Makes port forwards what they are to be, while packets go through the table. Like aging it is done by whoever sweeps,
// a record a time; what has to wait for packets to be done with a session is done by a later sweep.
namespace packetwarp::nat {

inline constexpr std::uint32_t grace = 2;  // seconds of the coarse clock, so more than one

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t seconds_since(std::uint32_t then, std::uint32_t now) {
  return now > then ? now - then : 0;
}

// Whether sessions of packets make way for a port forward, or it waits until they have ended: on the host while a GPU
// has the true tables, whose journal then tells so.
enum class occupant : std::uint8_t { ends, is_awaited };

// What a session that has ended held.
HOST_DEVICE inline void release(nat44_ref const& tables, std::uint32_t number, session const& held) {
  auto const kind = transport_of(held.outside);
  auto const port = endpoint_of(held.outside).port;
  shared(tables.outside[tables.position_of(kind, held.pool(), port)]).store(0, cuda::memory_order_relaxed);
  shared(tables.sessions[number].life).store(0, cuda::memory_order_relaxed);
  give_back(tables, kind, {fault::none, number, held.host(), {held.pool(), port}});
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
  tables.index().remove(tables.hash(held.inside), number);
  if (seen.from() == origin::packet) {
    tables.rare->journal.write(event::ended, number, held.inside, held.outside, now);
  }
  return true;
}

// A session of packets that has what a port forward needs.
HOST_DEVICE inline void make_way(nat44_ref const& tables, found_session const& found, occupant others,
                                 std::uint32_t now) {
  life const seen{found.held.life};
  bool const is_packets = seen.at() == phase::live && seen.from() == origin::packet;
  if (is_packets && others == occupant::ends) (void)end_session(tables, found.number, found.held, now);
}

HOST_DEVICE inline bool install_forward(nat44_ref const& tables, std::uint32_t number, forward_order const& wanted,
                                        occupant others, std::uint32_t now) {
  auto const& rare = *tables.rare;
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
  bool const is_given = outside.port >= rare.first_port && outside.port <= rare.last_port;
  bool const is_free = is_given ? ports.take_exactly(outside.port) : shared(port).load(cuda::memory_order_relaxed) == 0;
  if (!is_free) {
    auto const there = find_outside(tables, kind, pool, outside);
    if (there.number != 0) make_way(tables, there, others, now);
    return false;
  }
  auto const host = count_session(tables, endpoint_of(wanted.inside).address);
  store_session(
      tables.sessions[number],
      {wanted.inside, wanted.outside, life{now, phase::live, origin::configured, 0}.raw(), place_of(host.at, pool)});
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
  // A packet was faster, or there is no room in the index.
  shared(tables.sessions[number].life).store(0, cuda::memory_order_relaxed);
  if (is_given) ports.give_back(outside.port);
  forget_session(rare, host.at);
  return false;
}

// One step of a record towards what is asked for it. True: it is what it is to be.
HOST_DEVICE inline bool settle_forward(nat44_ref const& tables, std::uint32_t number, occupant others,
                                       std::uint32_t now) {
  auto const& order = tables.rare->forwards[number - tables.rare->first_forward];
  forward_order const wanted{load_settled(order.inside), load_settled(order.outside)};
  auto const held = load_session(tables.sessions[number]);
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
