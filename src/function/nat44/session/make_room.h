// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/expired.h"
#include "function/nat44/session/outside_port.h"
#include "function/nat44/session/session_end.h"

// When records or an address's ports have run out, a new session takes the place of one that is worth less; when a
// prefix has its share of them, of one of that prefix. The search is short, the same on a CPU and a GPU, and done
// without a lock, only for packets that would be dropped otherwise.
namespace packetwarp::nat {

// Sessions that a search for one to end inspects.
inline constexpr std::uint32_t most_looked_at = 8;
// A session that had more than one packet, though it has had no answer or is closed on both sides, may end early after
// this many seconds without a packet.
inline constexpr std::uint32_t idle_enough = 30;

// How readily a session ends: 0 not at all, and the higher, the sooner. Sessions that have outlived their time-out come
// first; then TCP connections of which nothing has come from outside, and flows that have had no answer, each the
// longest idle first. An established connection never ends this way, nor does a mapping that has had an answer, nor one
// whose past is unknown.
[[nodiscard]] HOST_DEVICE inline std::uint32_t readiness_to_go(nat44_ref const& tables, session const& held,
                                                               std::uint32_t now) {
  constexpr std::uint32_t most_idle = (1U << 24) - 1;
  life const seen{held.life};
  if (seen.at() != phase::live || seen.from() != origin::packet) return 0;
  auto const kind = transport_of(held.inside);
  auto const seconds = seconds_since(seen.used(), now);
  auto const idle = seconds < most_idle ? seconds : most_idle;
  if (is_over(seen.used(), now, timeout_of(tables.rare->timeouts, kind, seen.tcp()))) return 4U << 24 | idle;
  if (kind == transport::tcp) {
    constexpr unsigned of_inside_alone = tcp_state::unlisted | tcp_state::closed;
    if ((seen.tcp() & ~of_inside_alone) == tcp_state::opened_inside) return 3U << 24 | idle;
    bool const is_over = seen.tcp() != 0 && !is_established(seen.tcp());
    return is_over && seconds >= idle_enough ? 1U << 24 | idle : 0;
  }
  bool const may_go = (seen.tcp() & (datagram_state::fresh | datagram_state::replied)) == datagram_state::fresh;
  if (!may_go) return 0;
  if ((seen.tcp() & datagram_state::sustained) == 0) return 2U << 24 | idle;
  return seconds >= idle_enough ? 1U << 24 | idle : 0;
}

// The sessions of which one may end: those of inside hosts with this prefix; a mask of 0: all.
struct inside_prefix {
  std::uint32_t bits{};
  std::uint32_t mask{};
  [[nodiscard]] HOST_DEVICE bool is_all() const { return mask == 0; }
  [[nodiscard]] HOST_DEVICE bool has(session const& held) const {
    return (endpoint_of(held.inside).address.number & mask) == bits;
  }
};

// Inspects some sessions, and ends the readiest. number_of: gives a record's number, or 0, for 0 to most_looked_at - 1.
// True: the resources of one session are free.
template <class NumberOf>
[[nodiscard]] HOST_DEVICE inline bool end_readiest(nat44_ref const& tables, std::uint32_t now,
                                                   inside_prefix const& among, NumberOf&& number_of) {
  std::uint32_t most = 0;
  std::uint32_t number = 0;
  session held{};
  for (std::uint32_t i = 0; i < most_looked_at; ++i) {
    auto const candidate = number_of(i);
    if (candidate == 0) continue;
    auto const seen = load_provable(tables.sessions[candidate]);
    auto const readiness = among.has(seen) ? readiness_to_go(tables, seen, now) : 0;
    if (readiness <= most) continue;
    most = readiness;
    number = candidate;
    held = seen;
  }
  return number != 0 && end_at_once(tables, number, held, now);
}

// Ends a session in the records from the one that the hash points to on.
[[nodiscard]] HOST_DEVICE inline bool make_room_for_session(nat44_ref const& tables, std::uint64_t hash,
                                                            std::uint32_t now, inside_prefix const& among) {
  auto const records = tables.rare->first_forward - 1;
  bool const is_free =
      among.is_all() && release_expired(tables, records, now, [](std::uint32_t place) { return place + 1; });
  if (is_free) return true;
  auto const start = static_cast<std::uint32_t>(hash >> 16) % records;
  return end_readiest(tables, now, among, [&](std::uint32_t i) { return 1 + (start + i) % records; });
}

// Ends a session at a port of one outside address, among the ports that the packet's own may become.
[[nodiscard]] HOST_DEVICE inline bool make_room_for_port(nat44_ref const& tables, transport kind, std::uint32_t pool,
                                                         std::uint16_t wanted, std::uint64_t hash, std::uint32_t now,
                                                         inside_prefix const& among) {
  auto const range = ports_for(*tables.rare, kind, wanted);
  std::uint32_t const ports = range.last - range.first + 1;
  auto const session_of_port = [&](std::uint32_t place) {
    auto const port = static_cast<std::uint16_t>(range.first + place);
    return load_leading(tables.outside[tables.position_of(kind, pool, port)]);
  };
  if (among.is_all() && release_expired(tables, ports, now, session_of_port)) return true;
  auto const start = static_cast<std::uint32_t>(hash >> 16) % ports;
  return end_readiest(tables, now, among, [&](std::uint32_t i) { return session_of_port((start + i) % ports); });
}

}  // namespace packetwarp::nat
