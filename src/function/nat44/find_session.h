// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/fault.h"
#include "function/nat44/host_limit.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/outside_port.h"

// From a packet's endpoint to its session, in either direction; a packet from inside that has none makes one.
namespace packetwarp::nat {

// A session as it was when it was found. number 0: there is none.
struct found_session {
  std::uint32_t number{};
  session held{};
};

// By its inside endpoint. What has ended is not found, wherever it still is.
[[nodiscard]] HOST_DEVICE inline found_session find_inside(nat44_ref const& tables, std::uint64_t key) {
  found_session found;
  found.number = tables.index().find(tables.hash(key), [&](std::uint32_t number) {
    found.held = load_session(tables.sessions[number]);
    return found.held.inside == key && life{found.held.life}.is_live();
  });
  return found;
}

// By an outside port of the pool.
[[nodiscard]] HOST_DEVICE inline found_session find_outside(nat44_ref const& tables, transport kind, std::uint32_t pool,
                                                            endpoint at) {
  found_session found;
  auto const number = load_leading(tables.outside[tables.position_of(kind, pool, at.port)]);
  if (number == 0) return found;
  found.held = load_session(tables.sessions[number]);
  if (found.held.outside == key_of(kind, at) && life{found.held.life}.is_live()) found.number = number;
  return found;
}

// Notes that a packet has used the session; false: it has ended meanwhile. Writes only what has changed, so that a
// session costs a store a second, however many packets it has.
[[nodiscard, gnu::always_inline]] HOST_DEVICE inline bool use(nat44_ref const& tables, std::uint32_t number, life seen,
                                                              transport kind, direction way, std::uint8_t tcp_flags,
                                                              std::uint32_t now) {
  bool const is_tcp = kind == transport::tcp;
  bool const refreshes = is_tcp || way == direction::out || tables.refresh == refresh::both;
  for (;;) {
    auto const tcp = is_tcp ? after_segment(seen.tcp(), tcp_flags, way) : std::uint8_t{0};
    auto const used = refreshes ? now : seen.used();
    if (seen.used() == used && seen.tcp() == tcp) return true;
    auto raw = seen.raw();
    if (shared(tables.sessions[number].life)
            .compare_exchange_strong(raw, seen.seen(used, tcp).raw(), cuda::memory_order_acq_rel)) {
      return true;
    }
    seen = life{raw};
    if (!seen.is_live()) return false;
  }
}

// What a new session needs, or why it cannot be.
struct claims {
  fault wrong{fault::none};
  std::uint32_t number{};
  std::uint32_t host{no_host};
  outside_port outside{};
};

// A port forward may have had a port that no session gets, and its record is its own.
HOST_DEVICE inline void give_back(nat44_ref const& tables, transport kind, claims const& held) {
  auto const& rare = *tables.rare;
  bool const is_given = held.outside.port >= rare.first_port && held.outside.port <= rare.last_port;
  if (is_given) tables.free_ports(kind, held.outside.pool).give_back(held.outside.port);
  if (held.number < rare.first_forward) tables.free_sessions().give_back(held.number);
  forget_session(rare, held.host);
}

[[nodiscard]] HOST_DEVICE inline claims claim(nat44_ref const& tables, transport kind, endpoint inside,
                                              std::uint32_t egress) {
  auto const host = count_session(tables, inside.address);
  if (host.said == admission_of_host::refused) return {fault::host_limit};
  auto const size = tables.rare->first_forward;
  auto const start = static_cast<std::uint32_t>(tables.hash(key_of(kind, inside)) >> 16) % size;
  auto const number = tables.free_sessions().take(start);
  if (number == free_set::none) {
    forget_session(*tables.rare, host.at);
    return {fault::table_full};
  }
  auto const outside = take_port(tables, kind, inside, egress);
  if (outside.pool == no_pool) {
    tables.free_sessions().give_back(number);
    forget_session(*tables.rare, host.at);
    return {fault::no_port};
  }
  return {fault::none, number, host.at, outside};
}

struct made_session {
  fault wrong{fault::none};
  found_session found{};
};

// Makes a session for an inside endpoint that was found to have none, or goes on with the one that another packet has
// made meanwhile.
[[nodiscard, gnu::cold]] HOST_DEVICE inline made_session make_session(nat44_ref const& tables, transport kind,
                                                                      endpoint inside, std::uint8_t tcp_flags,
                                                                      std::uint32_t now, std::uint32_t egress) {
  auto const key = key_of(kind, inside);
  made_session made;
  claims own{fault::none};
  auto const has_key = [&](std::uint32_t number) {
    made.found.held = load_session(tables.sessions[number]);
    return made.found.held.inside == key && life{made.found.held.life}.is_live();
  };
  auto const make = [&] {
    own = claim(tables, kind, inside, egress);
    if (own.wrong != fault::none) return std::uint32_t{0};
    auto const tcp = kind == transport::tcp ? after_segment(0, tcp_flags, direction::out) : std::uint8_t{0};
    endpoint const outside{load_settled(tables.rare->pool[own.outside.pool]), own.outside.port};
    made.found.held = {key, key_of(kind, outside), life{now, phase::making, origin::packet, tcp}.raw(),
                       place_of(own.host, own.outside.pool)};
    store_session(tables.sessions[own.number], made.found.held);
    return own.number;
  };
  made.found.number = tables.index().find_or_insert(tables.hash(key), has_key, make);
  if (own.number == 0) {
    made.wrong = made.found.number == 0 ? own.wrong : fault::none;
    return made;
  }
  if (made.found.number == 0) {
    shared(tables.sessions[own.number].life).store(0, cuda::memory_order_relaxed);
    give_back(tables, kind, own);
    made.wrong = fault::table_full;
    return made;
  }
  shared(tables.outside[tables.position_of(kind, own.outside.pool, own.outside.port)])
      .store(own.number, cuda::memory_order_release);
  // Told before it may end, for it could do so at once.
  tables.rare->journal.write(event::made, own.number, made.found.held.inside, made.found.held.outside, now);
  finish_making(tables.sessions[own.number].life);
  return made;
}

// The session of a packet from inside. Without one it is made where that is asked for; egress: where the packet leaves.
enum class when_absent : std::uint8_t { make, leave };
[[nodiscard]] HOST_DEVICE inline made_session session_of(nat44_ref const& tables, transport kind, endpoint inside,
                                                         std::uint8_t tcp_flags, std::uint32_t now, when_absent absent,
                                                         std::uint32_t egress = any_egress) {
  auto const found = find_inside(tables, key_of(kind, inside));
  bool const is_there =
      found.number != 0 && use(tables, found.number, life{found.held.life}, kind, direction::out, tcp_flags, now);
  if (is_there) return {fault::none, found};
  if (absent == when_absent::leave) return {fault::no_session};
  return make_session(tables, kind, inside, tcp_flags, now, egress);
}

}  // namespace packetwarp::nat
