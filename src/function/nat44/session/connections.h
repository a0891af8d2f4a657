// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "function/nat44/container/shared_word.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/session.h"
#include "function/nat44/session/tcp_mapping.h"

// TCP connections of sessions that packets made; each connection belongs to a session and a remote endpoint. A
// connection is one word in the line of memory that a keyed hash of both points to, in any of its eight places.
// Segments with SYN, FIN or RST look for it, and other segments only while its session is not established.
namespace packetwarp::nat {

// A connection's word, 0 for none: 25 bits of the hash, the session's record and generation, and the connection's
// state. A word whose session has gone is free for any connection, so no sweep of this table is needed.
class connection {
 public:
  static constexpr std::uint64_t state_bits = (1U << 6) - 1;
  static constexpr std::uint64_t opened_inside = tcp_state::opened_inside;
  static constexpr std::uint64_t opened_outside = tcp_state::opened_outside;
  static constexpr std::uint64_t finished_inside = 4;
  static constexpr std::uint64_t finished_outside = 8;
  static constexpr std::uint64_t reset = 16;

  HOST_DEVICE constexpr explicit connection(std::uint64_t raw) : raw_{raw} {}
  HOST_DEVICE constexpr connection(std::uint64_t hash, std::uint32_t session, std::uint8_t generation,
                                   std::uint64_t state)
      : raw_{hash >> 39 << 39 | std::uint64_t{session} << 14 | std::uint64_t{generation} << 6 | state} {}

  [[nodiscard]] HOST_DEVICE constexpr std::uint64_t raw() const { return raw_; }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t session() const { return raw_ >> 14 & ((1U << 25) - 1); }
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t generation() const { return static_cast<std::uint8_t>(raw_ >> 6); }
  [[nodiscard]] HOST_DEVICE constexpr bool is_same_as(connection other) const {
    return ((raw_ ^ other.raw_) & ~state_bits) == 0;
  }
  [[nodiscard]] HOST_DEVICE constexpr bool is_none() const { return raw_ == 0; }
  // Closed by both sides, or reset.
  [[nodiscard]] HOST_DEVICE constexpr bool is_over() const { return is_finished() || (raw_ & reset) != 0; }
  [[nodiscard]] HOST_DEVICE constexpr bool is_alive() const {
    return has(opened_inside | opened_outside) && !is_over();
  }
  [[nodiscard]] HOST_DEVICE constexpr bool began_inside() const { return has(opened_inside); }
  [[nodiscard]] HOST_DEVICE constexpr bool began_outside_only() const {
    return has(opened_outside) && !has(opened_inside);
  }
  [[nodiscard]] HOST_DEVICE constexpr connection after(std::uint8_t flags, direction way) const;

 private:
  [[nodiscard]] HOST_DEVICE constexpr bool has(std::uint64_t bits) const { return (raw_ & bits) == bits; }
  [[nodiscard]] HOST_DEVICE constexpr bool is_finished() const { return has(finished_inside | finished_outside); }
  [[nodiscard]] HOST_DEVICE constexpr connection with(std::uint64_t state) const {
    return connection{(raw_ & ~state_bits) | state};
  }
  std::uint64_t raw_;
};

// The connection after one more segment. A SYN of either side restarts a connection that is over; a connection that is
// alive is restarted only by a SYN of the inside host. Data on a connection that was reset shows that it goes on (RFC
// 6146, 3.5.2.2, TRANS); on one that both sides closed it shows nothing.
[[nodiscard]] HOST_DEVICE constexpr connection connection::after(std::uint8_t flags, direction way) const {
  auto const opened = opened_by(way);
  auto const state = raw_ & state_bits;
  if (is_reset(flags)) return with(state | reset);
  if (is_opening(flags)) {
    if (is_over()) return with(opened);
    auto const finished = way == direction::out ? finished_inside | finished_outside : std::uint64_t{0};
    return with((state & ~finished) | opened);
  }
  if (is_finished()) return *this;
  if ((flags & wire::tcp_flag::fin) != 0) {
    return with((state & ~reset) | opened | (way == direction::out ? finished_inside : finished_outside));
  }
  if ((flags & wire::tcp_flag::syn) != 0) return is_over() ? *this : with(state | opened);
  return with((state & ~reset) | opened);
}

inline constexpr std::uint32_t connections_in_line = 8;
// A thread gives up after this many tries against other threads that change the same line; its connection is then
// unknown.
inline constexpr unsigned most_tries = 64;

// The line of memory where a connection is or would be.
class connection_line {
 public:
  HOST_DEVICE connection_line(nat44_ref const& tables, std::uint32_t session, std::uint8_t generation, endpoint peer)
      : connection_line{
            tables, tables.hash(key_of(transport::tcp, peer) ^ tables.hash(std::uint64_t{session} << 8 | generation)),
            session, generation} {}

  // The word of this connection in this state.
  [[nodiscard]] HOST_DEVICE connection in_state(std::uint64_t state) const { return connection{wanted_.raw() | state}; }
  [[nodiscard]] HOST_DEVICE shared_word<std::uint64_t> word(std::uint32_t n) const { return shared(words_[n]); }
  [[nodiscard]] HOST_DEVICE connection at(std::uint32_t n) const {
    return connection{word(n).load(cuda::memory_order_relaxed)};
  }
  // Its place; connections_in_line if the connection is not known.
  [[nodiscard]] HOST_DEVICE std::uint32_t find() const {
    std::uint32_t n = 0;
    while (n < connections_in_line && !is_here(at(n))) ++n;
    return n;
  }
  [[nodiscard]] HOST_DEVICE bool is_here(connection there) const { return there.is_same_as(wanted_); }
  [[nodiscard]] HOST_DEVICE bool change(std::uint32_t n, connection from, connection to) const {
    auto raw = from.raw();
    return word(n).compare_exchange_strong(raw, to.raw(), cuda::memory_order_relaxed);
  }

 private:
  HOST_DEVICE connection_line(nat44_ref const& tables, std::uint64_t hash, std::uint32_t session,
                              std::uint8_t generation)
      : words_{tables.rare->connections +
               std::size_t{static_cast<std::uint32_t>(hash) & tables.rare->connection_mask} * connections_in_line},
        wanted_{hash, session, generation, 0} {}

  std::uint64_t* words_;
  connection wanted_;
};

// How readily a word makes room for another connection: 0 not at all, and the higher, the sooner. Free words go first,
// then connections that are over, then connections that only outside has asked for. A connection that only an inside
// host has asked for does not go for one that a stranger asks for.
[[nodiscard]] HOST_DEVICE inline unsigned readiness_of(nat44_ref const& tables, connection there, direction newer) {
  if (there.is_none()) return 5;
  life const owner{shared(tables.sessions[there.session()].life).load(cuda::memory_order_relaxed)};
  if (!owner.is_live() || owner.generation() != there.generation()) return 4;
  if (there.is_over()) return 3;
  if (there.began_outside_only()) return 2;
  return there.is_alive() || newer == direction::in ? 0 : 1;
}

// Changes the word of a session's life by next(), as long as the record is that session's.
template <class Next>
HOST_DEVICE inline void change_life(nat44_ref const& tables, std::uint32_t number, std::uint8_t generation,
                                    Next&& next) {
  auto const word = shared(tables.sessions[number].life);
  life seen{word.load(cuda::memory_order_relaxed)};
  while (seen.is_live() && seen.generation() == generation) {
    auto raw = seen.raw();
    auto const wanted = next(seen);
    if (wanted.raw() == raw || word.compare_exchange_strong(raw, wanted.raw(), cuda::memory_order_acq_rel)) return;
    seen = life{raw};
  }
}

// Puts in a connection that is not in the line. outrun: another thread was faster.
enum class placed : std::uint8_t { yes, no_room, outrun };
[[nodiscard]] HOST_DEVICE inline placed place(nat44_ref const& tables, connection_line const& line, connection made,
                                              direction way) {
  std::uint32_t readiest = 0;
  unsigned most = 0;
  connection victim{0};
  for (std::uint32_t n = 0; n < connections_in_line; ++n) {
    auto const there = line.at(n);
    auto const readiness = readiness_of(tables, there, way);
    if (readiness <= most) continue;
    most = readiness;
    readiest = n;
    victim = there;
  }
  if (most == 0) return placed::no_room;
  if (!line.change(readiest, victim, made)) return placed::outrun;
  // The session of the replaced connection goes on with a connection that is unknown from now on.
  if (most == 1) {
    change_life(tables, victim.session(), victim.generation(),
                [](life seen) { return after_segment(seen, outcome::unknown, 0, direction::out); });
  }
  return placed::yes;
}

// Applies a segment to its connection. A connection becomes known by a SYN that is its first segment.
[[nodiscard]] HOST_DEVICE inline outcome change_connection(nat44_ref const& tables, connection_line const& line,
                                                           std::uint8_t flags, direction way) {
  for (unsigned i = 0; i < most_tries; ++i) {
    auto const n = line.find();
    if (n != connections_in_line) {
      auto const seen = line.at(n);
      if (!line.is_here(seen)) continue;
      auto const next = seen.after(flags, way);
      if (next.raw() != seen.raw() && !line.change(n, seen, next)) continue;
      // Data from inside on a connection that outside has not answered: its answers may take another way.
      bool const is_one_way = (flags & tcp_marks) == 0 && !next.began_outside_only() && !next.is_over() &&
                              !next.is_alive() && way == direction::out;
      if (is_one_way) return outcome::unknown;
      if (next.is_alive() == seen.is_alive()) return outcome::same;
      return next.is_alive() ? outcome::opened : outcome::closed;
    }
    if (!is_opening(flags)) return outcome::unknown;
    auto const done = place(tables, line, line.in_state(opened_by(way)), way);
    if (done == placed::yes) return outcome::same;
    if (done == placed::outrun) continue;
    if (way == direction::out) {
      shared(tables.rare->journal.cursors->untracked).fetch_add(1, cuda::memory_order_relaxed);
    }
    return outcome::unknown;
  }
  return outcome::unknown;
}

// Tracks a segment of a session that changes its state.
[[gnu::cold, gnu::noinline]] HOST_DEVICE inline void track_segment(nat44_ref const& tables, std::uint32_t number,
                                                                   life seen, std::uint8_t flags, direction way,
                                                                   endpoint peer) {
  // If some connections are unknown the others do not matter; and port forwards do not age.
  bool const is_counted = seen.from() == origin::packet && seen.tcp() != 0 && (seen.tcp() & tcp_state::unlisted) == 0;
  auto const generation = seen.generation();
  auto const what = is_counted
                        ? change_connection(tables, connection_line{tables, number, generation, peer}, flags, way)
                        : outcome::unknown;
  change_life(tables, number, generation, [&](life now) { return after_segment(now, what, flags, way); });
}

// Applies a segment to its connection with the peer, and so to its session. found: as it was when it was found.
HOST_DEVICE inline void track(nat44_ref const& tables, std::uint32_t number, life seen, std::uint8_t flags,
                              direction way, endpoint peer) {
  if (is_settled(seen.tcp(), flags, way)) return;
  track_segment(tables, number, seen, flags, way, peer);
}

}  // namespace packetwarp::nat
