// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/fault.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/make_room.h"
#include "function/nat44/session/outside_port.h"
#include "function/nat44/session/session_end.h"
#include "function/nat44/session/shares.h"
#include "function/nat44/session/tcp_mapping.h"

// Finds a packet's session by its endpoint, in either direction; a packet from inside without a session makes one.
namespace packetwarp::nat {

// A session as it was when it was found. number 0: none.
struct found_session {
  std::uint32_t number{};
  session held{};
};

// Finds by the inside endpoint. A session that has ended is not found, wherever it still is.
[[nodiscard]] HOST_DEVICE inline found_session find_inside(nat44_ref const& tables, std::uint64_t key) {
  found_session found;
  found.number = tables.index().find(tables.hash(key), [&](std::uint32_t number) {
    found.held = load_session(tables.sessions[number]);
    return found.held.inside == key && life{found.held.life}.is_live();
  });
  return found;
}

// Finds by an outside port of the pool.
[[nodiscard]] HOST_DEVICE inline found_session find_outside(nat44_ref const& tables, transport kind, std::uint32_t pool,
                                                            endpoint at) {
  found_session found;
  auto const number = load_leading(tables.outside[tables.position_of(kind, pool, at.port)]);
  if (number == 0) return found;
  found.held = load_session(tables.sessions[number], direction::in);
  if (found.held.outside == key_of(kind, at) && life{found.held.life}.is_live()) found.number = number;
  return found;
}

// Notes that a packet has used the session; false: the session has ended meanwhile. Writes only changes, so that a
// session costs one store per second, however many packets it has. track() handles TCP segments.
[[nodiscard, gnu::always_inline]] HOST_DEVICE inline bool use(nat44_ref const& tables, std::uint32_t number, life seen,
                                                              transport kind, direction way, std::uint32_t now) {
  bool const is_tcp = kind == transport::tcp;
  bool const refreshes = is_tcp || way == direction::out || tables.refresh == refresh::both;
  for (;;) {
    auto const used = refreshes ? now : seen.used();
    auto const in = used == seen.used() ? second::same : second::later;
    auto const state = is_tcp ? seen.tcp() : after_datagram(seen.tcp(), way, in);
    if (seen.used() == used && seen.tcp() == state) return true;
    auto raw = seen.raw();
    if (shared(tables.sessions[number].life)
            .compare_exchange_strong(raw, seen.seen(used, state).raw(), cuda::memory_order_acq_rel)) {
      return true;
    }
    bool const is_another = life{raw}.generation() != seen.generation();
    seen = life{raw};
    if (is_another || !seen.is_live()) return false;
  }
}

// The resource that a refused session lacks: all of it, or its prefix's share.
enum class lacks : std::uint8_t { record, port };

// The resources of a new session, or the fault that prevents it.
struct claims {
  fault wrong{fault::none};
  lacks what{lacks::record};
  std::uint32_t number{};
  std::uint32_t slots{};
  outside_port outside{};
};

[[nodiscard]] HOST_DEVICE inline claims claim(nat44_ref const& tables, transport kind, endpoint inside,
                                              std::uint32_t egress) {
  claims own;
  own.wrong = count_session(tables, inside.address, own.slots);
  if (own.wrong != fault::none) return own;
  auto const size = tables.rare->first_forward;
  auto const start = static_cast<std::uint32_t>(tables.hash(key_of(kind, inside)) >> 16) % size;
  auto const number = tables.free_sessions().take(start);
  if (number == free_set::none) {
    own.wrong = fault::table_full;
  } else {
    own.outside = take_port(tables, kind, inside, egress, own.slots);
    own.wrong = own.outside.wrong;
    own.what = lacks::port;
  }
  if (own.wrong == fault::none) {
    own.number = number;
    return own;
  }
  if (number != free_set::none) tables.free_sessions().give_back(number);
  forget_session(tables, kind, inside.address, no_pool, own.slots);
  return own;
}

struct made_session {
  fault wrong{fault::none};
  found_session found{};
  lacks what{lacks::record};  // if it is refused
  bool is_new{};              // this packet has made it
};

// The word of a session's life after its first packet, which is from inside.
[[nodiscard]] HOST_DEVICE inline life first_life(transport kind, std::uint8_t tcp_flags, std::uint32_t now) {
  auto const state = kind == transport::tcp ? first_state(tcp_flags) : std::uint8_t{datagram_state::fresh};
  return {now, phase::making, origin::packet, state};
}

// Makes a session, if its resources are free, or uses the one that another packet has made meanwhile.
[[nodiscard]] HOST_DEVICE inline made_session try_to_make(nat44_ref const& tables, transport kind, endpoint inside,
                                                          std::uint8_t tcp_flags, std::uint32_t now,
                                                          std::uint32_t egress) {
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
    endpoint const outside{load_settled(tables.rare->pool[own.outside.pool]), own.outside.port};
    made.found.held = {key, key_of(kind, outside), first_life(kind, tcp_flags, now).raw(),
                       place_of(own.slots, own.outside.pool)};
    made.found.held.life = store_session(tables.sessions[own.number], made.found.held);
    return own.number;
  };
  made.found.number = tables.index().find_or_insert(tables.hash(key), has_key, make);
  if (own.number == 0) {
    made.wrong = made.found.number == 0 ? own.wrong : fault::none;
    made.what = own.what;
    return made;
  }
  if (made.found.number == 0) {
    take_back(tables.sessions[own.number]);
    give_back(tables, own.number,
              {key, key_of(kind, {{}, own.outside.port}), 0, place_of(own.slots, own.outside.pool)});
    made.wrong = fault::table_full;
    return made;
  }
  shared(tables.outside[tables.position_of(kind, own.outside.pool, own.outside.port)])
      .store(own.number, cuda::memory_order_release);
  // The journal has the entry before the session can end, for it could end at once.
  tables.rare->journal.write(event::made, own.number, made.found.held.inside, made.found.held.outside, now);
  finish_making(tables.sessions[own.number].life);
  made.is_new = true;
  return made;
}

// Ends a session that this packet has made, because the packet is dropped. It stays if another packet has changed it.
[[gnu::cold]] HOST_DEVICE inline void unmake(nat44_ref const& tables, found_session const& made, std::uint32_t now) {
  auto const held = load_provable(tables.sessions[made.number]);
  life const seen{held.life};
  bool const is_it = held.inside == made.held.inside && seen.is_live() &&
                     seen.generation() == life{made.held.life}.generation() && seen.tcp() == life{made.held.life}.tcp();
  if (is_it) (void)end_at_once(tables, made.number, held, now);
}

// Ends a session that is worth less than the refused one; false: none of the inspected sessions was. A prefix that has
// its share makes room of its own.
[[nodiscard]] HOST_DEVICE inline bool make_room(nat44_ref const& tables, transport kind, endpoint inside,
                                                std::uint32_t now, std::uint32_t egress, made_session const& refused) {
  // In a later second it inspects other sessions.
  auto const hash = tables.hash(key_of(kind, inside) ^ now);
  auto const mask = refused.wrong == fault::prefix_limit ? tables.rare->share_mask : 0;
  inside_prefix const among{inside.address.number & mask, mask};
  if (refused.what == lacks::record) return make_room_for_session(tables, hash, now, among);
  bool is_made = false;
  visit_pool(tables, inside.address, egress, [&](std::uint32_t pool) {
    is_made = make_room_for_port(tables, kind, pool, inside.port, hash, now, among);
    return visited::done;
  });
  return is_made;
}

// Makes a session for an inside endpoint that has none. Other packets may take the records and ports that it frees
// before it has them, so it tries more than once.
[[nodiscard, gnu::cold]] HOST_DEVICE inline made_session make_session(nat44_ref const& tables, transport kind,
                                                                      endpoint inside, std::uint8_t tcp_flags,
                                                                      std::uint32_t now, std::uint32_t egress) {
  if (tables.modes().new_sessions == new_sessions::refused) return {fault::draining};
  constexpr unsigned most_ended = 2;
  auto made = try_to_make(tables, kind, inside, tcp_flags, now, egress);
  for (unsigned ended = 0; ended < most_ended; ++ended) {
    bool const is_scarce =
        made.wrong == fault::table_full || made.wrong == fault::no_port || made.wrong == fault::prefix_limit;
    if (!is_scarce || !make_room(tables, kind, inside, now, egress, made)) break;
    made = try_to_make(tables, kind, inside, tcp_flags, now, egress);
  }
  return made;
}

// The session of a packet from inside. absent: whether a missing session is made; egress: where the packet leaves.
enum class when_absent : std::uint8_t { make, leave };
[[nodiscard]] HOST_DEVICE inline made_session session_of(nat44_ref const& tables, transport kind, endpoint inside,
                                                         std::uint8_t tcp_flags, std::uint32_t now, when_absent absent,
                                                         std::uint32_t egress = any_egress) {
  auto const found = find_inside(tables, key_of(kind, inside));
  bool const is_there =
      found.number != 0 && use(tables, found.number, life{found.held.life}, kind, direction::out, now);
  if (is_there) return {fault::none, found};
  if (absent == when_absent::leave) return {fault::no_session};
  return make_session(tables, kind, inside, tcp_flags, now, egress);
}

}  // namespace packetwarp::nat
