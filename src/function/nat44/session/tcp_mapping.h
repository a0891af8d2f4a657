// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/session/session.h"
#include "wire/tcp.h"

// The TCP state of a mapping, which follows from its connections: connections.h knows these one by one. A mapping
// counts the connections that are known to be alive. It is established while one is alive, and while one that is
// unknown may be: RFC 5382 REQ-5 and RFC 6146 3.5.2.2 ask for the long time-out then.
namespace packetwarp::nat {

// Segments that change connections. All others change something only while a mapping is not established.
inline constexpr std::uint8_t tcp_marks = wire::tcp_flag::syn | wire::tcp_flag::fin | wire::tcp_flag::rst;

[[nodiscard]] HOST_DEVICE constexpr bool is_reset(std::uint8_t flags) { return (flags & wire::tcp_flag::rst) != 0; }
// A SYN without ACK: a connection begins.
[[nodiscard]] HOST_DEVICE constexpr bool is_opening(std::uint8_t flags) {
  return (flags & (tcp_marks | wire::tcp_flag::ack)) == wire::tcp_flag::syn;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint8_t opened_by(direction way) {
  return way == direction::out ? tcp_state::opened_inside : tcp_state::opened_outside;
}

// Whether a segment leaves its mapping and its connection as they are, so that nothing has to be looked up.
[[nodiscard]] HOST_DEVICE constexpr bool is_settled(std::uint8_t state, std::uint8_t flags, direction way) {
  if ((flags & tcp_marks) == 0 && is_established(state)) return true;
  unsigned const settled = tcp_state::unlisted | opened_by(way);
  return (state & settled) == settled;
}

// The effect of a segment on its connection, as its mapping counts.
enum class outcome : std::uint8_t {
  same,    // the connection is known, and as alive or dead as before
  opened,  // it is known, and lives from now on
  closed,  // it was known to live, and lives no more
  unknown  // the connection is not known, or has no room to be
};

// The state of a mapping that has unknown connections, after a segment of one of these.
[[nodiscard]] HOST_DEVICE constexpr std::uint8_t after_unknown(std::uint8_t state, std::uint8_t flags, direction way) {
  constexpr unsigned both = tcp_state::opened_inside | tcp_state::opened_outside;
  if (is_reset(flags)) return state;
  if (way == direction::out) {
    if ((flags & wire::tcp_flag::fin) != 0 && (state & tcp_state::unlisted) == 0 && state != 0) return state;
    // A session that was restored or told by a GPU is only known to have existed.
    unsigned const seen = state == 0 ? both : (state & ~unsigned{tcp_state::closed}) | tcp_state::opened_inside;
    return static_cast<std::uint8_t>(seen | tcp_state::unlisted);
  }
  // Any host can send from outside: a SYN shows nothing before it is answered, and other segments show something only
  // for a mapping whose inside end is known to have connections elsewhere.
  if (is_opening(flags) || (state & tcp_state::unlisted) == 0) return state;
  return static_cast<std::uint8_t>(state | tcp_state::opened_outside);
}

[[nodiscard]] HOST_DEVICE constexpr life after_opened(life seen) {
  constexpr unsigned both = tcp_state::opened_inside | tcp_state::opened_outside;
  unsigned const state = both | (seen.tcp() & tcp_state::unlisted);
  if (seen.connections() == life::most_connections) {  // a connection that cannot be counted is unknown
    return seen.with(static_cast<std::uint8_t>(state | tcp_state::unlisted), seen.connections());
  }
  return seen.with(static_cast<std::uint8_t>(state), seen.connections() + 1);
}
[[nodiscard]] HOST_DEVICE constexpr life after_closed(life seen) {
  auto const left = seen.connections() == 0 ? 0 : seen.connections() - 1;
  bool const is_over = left == 0 && (seen.tcp() & tcp_state::unlisted) == 0;
  return seen.with(static_cast<std::uint8_t>(is_over ? seen.tcp() | tcp_state::closed : seen.tcp()), left);
}

// The state of a port forward, which does not age.
inline constexpr std::uint8_t always_there = tcp_state::opened_inside | tcp_state::opened_outside | tcp_state::unlisted;

// The word of a mapping after a segment.
[[nodiscard]] HOST_DEVICE constexpr life after_segment(life seen, outcome of_connection, std::uint8_t flags,
                                                       direction way) {
  if (seen.from() == origin::configured) return seen.with(always_there, 0);
  switch (of_connection) {
    case outcome::opened:
      return after_opened(seen);
    case outcome::closed:
      return after_closed(seen);
    case outcome::unknown:
      return seen.with(after_unknown(seen.tcp(), flags, way), seen.connections());
    case outcome::same:
      break;
  }
  bool const begins_anew = is_opening(flags) && way == direction::out && (seen.tcp() & tcp_state::closed) != 0;
  return begins_anew ? seen.with(tcp_state::opened_inside, seen.connections()) : seen;
}

// The state of a session that a packet from inside makes. Without a SYN the connection is older than the session.
[[nodiscard]] HOST_DEVICE constexpr std::uint8_t first_state(std::uint8_t flags) {
  if (is_opening(flags)) return tcp_state::opened_inside;
  unsigned const more = is_reset(flags) ? tcp_state::closed : tcp_state::unlisted;
  return static_cast<std::uint8_t>(tcp_state::opened_inside | more);
}

// The state of a session from a file: its connections are unknown. Files of earlier versions have other bits for the
// ends of connections; a RST from anywhere could set these.
[[nodiscard]] HOST_DEVICE constexpr std::uint8_t restored_state(std::uint8_t saved) {
  constexpr unsigned both = tcp_state::opened_inside | tcp_state::opened_outside;
  if ((saved & tcp_state::closed) != 0) return static_cast<std::uint8_t>((saved & both) | tcp_state::closed);
  if (saved == 0) return 0;
  return static_cast<std::uint8_t>((saved == tcp_state::opened_inside ? saved : both) | tcp_state::unlisted);
}

}  // namespace packetwarp::nat
