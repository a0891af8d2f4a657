// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/fault.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/packet/flow.h"
#include "function/nat44/session/connections.h"
#include "function/nat44/session/find_session.h"
#include "function/nat44/session/remotes.h"

// Finds what a packet's endpoints become, by a static address or a session.
namespace packetwarp::nat {

// A translated endpoint, or the fault that prevents it.
struct translated {
  endpoint to;
  fault wrong{fault::none};
};

// The source of a packet that leaves by an egress. If it needs a session and has none, the packet makes one, unless it
// is an ICMP error.
[[nodiscard]] HOST_DEVICE inline translated translate_source(nat44_ref const& tables, flow const& of,
                                                             std::uint32_t egress) {
  if (auto const at = tables.static_addresses.find(of.source.address); at != 0) {
    return {{tables.static_outside[at - 1], of.source.port}};
  }
  if (of.kind == transport::none) return {{}, fault::protocol};
  // An error is about an existing session, and does not use it (RFC 5508, REQ-6).
  if (of.held_by == carrier::error) {
    auto const found = find_inside(tables, key_of(of.kind, of.source));
    return {endpoint_of(found.held.outside), found.number == 0 ? fault::no_session : fault::none};
  }
  auto const now = tables.now();
  auto const made = session_of(tables, of.kind, of.source, of.tcp_flags, now, when_absent::make, egress);
  if (made.wrong != fault::none) return {{}, made.wrong};
  if (auto const wrong = remember(tables, of.kind, made.found, of.destination, now); wrong != fault::none) {
    if (made.is_new) unmake(tables, made.found, now);
    return {{}, wrong};
  }
  if (of.kind == transport::tcp) {
    track(tables, made.found.number, life{made.found.held.life}, of.tcp_flags, direction::out, of.destination);
  }
  return {endpoint_of(made.found.held.outside), fault::none};
}

// When a session's filter is asked about a packet to its outside endpoint. It knows an inside host that sends there by
// that host's outside endpoint, as any other remote one; this is found after the route.
enum class filter_turn : std::uint8_t { at_once, after_route };

// The destination of a packet to an outside address; `at` is the address's word of the map. found: its session, if it
// has one.
struct inward {
  endpoint to;
  fault wrong{fault::none};
  found_session found{};
};
[[nodiscard]] HOST_DEVICE inline inward find_destination(nat44_ref const& tables, flow const& of, std::uint32_t at,
                                                         filter_turn turn) {
  if ((at & address_map::is_static) != 0) {
    return {{tables.static_inside[(at & ~address_map::is_static) - 1], of.destination.port}};
  }
  if (of.kind == transport::none) return {{}, fault::protocol};
  auto const found = find_outside(tables, of.kind, at - 1, of.destination);
  if (found.number == 0) return {{}, fault::no_session};
  if (turn == filter_turn::at_once && !lets_in(tables, of.kind, found, of.source)) return {{}, fault::filtered};
  return {endpoint_of(found.held.inside), fault::none, found};
}

// Marks the session of a packet to its outside endpoint as used.
[[nodiscard]] HOST_DEVICE inline fault use_inward(nat44_ref const& tables, flow const& of, found_session const& found) {
  bool const is_used = found.number != 0 && of.held_by != carrier::error;
  bool const has_ended =
      is_used && !use(tables, found.number, life{found.held.life}, of.kind, direction::in, tables.now());
  return has_ended ? fault::no_session : fault::none;
}

// As find_destination, and marks the session as used, unless its filter is still to be asked.
[[nodiscard]] HOST_DEVICE inline inward translate_destination(nat44_ref const& tables, flow const& of, std::uint32_t at,
                                                              filter_turn turn) {
  auto there = find_destination(tables, of, at, turn);
  if (there.wrong == fault::none && turn == filter_turn::at_once) there.wrong = use_inward(tables, of, there.found);
  return there;
}

// The rest of translate_destination after the route, which makes the packet come from this endpoint.
[[nodiscard, gnu::noinline, gnu::cold]] HOST_DEVICE inline fault let_in_after_route(nat44_ref const& tables, flow of,
                                                                                    found_session found,
                                                                                    endpoint source) {
  if (found.number == 0) return fault::none;
  return lets_in(tables, of.kind, found, source) ? use_inward(tables, of, found) : fault::filtered;
}

// Tracks the session's TCP connection. source: as the inside host sees it.
HOST_DEVICE inline void track_inward(nat44_ref const& tables, flow const& of, found_session const& found,
                                     endpoint source) {
  if (found.number == 0 || of.held_by != carrier::tcp) return;
  track(tables, found.number, life{found.held.life}, of.tcp_flags, direction::in, source);
}

}  // namespace packetwarp::nat
