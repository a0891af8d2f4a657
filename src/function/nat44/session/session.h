// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "function/nat44/container/shared_word.h"
#include "wire/address.h"

namespace packetwarp::nat {

// The transports that have port numbers of their own. ICMP's ports are the identifiers of queries (RFC 5508, 3.1).
enum class transport : std::uint8_t { udp, tcp, icmp, none };
inline constexpr std::uint32_t transports = 3;

// An address and a port of one transport, as one word: the key of a session. 0 is none.
struct endpoint {
  wire::ipv4_address address;
  std::uint16_t port{};

  [[nodiscard]] HOST_DEVICE friend constexpr bool operator==(endpoint a, endpoint b) noexcept {
    return a.address == b.address && a.port == b.port;
  }
};
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t key_of(transport kind, endpoint at) {
  return std::uint64_t{at.address.number} << 32 | std::uint64_t{at.port} << 16 | (static_cast<unsigned>(kind) + 1U);
}
[[nodiscard]] HOST_DEVICE constexpr endpoint endpoint_of(std::uint64_t key) {
  return {{static_cast<std::uint32_t>(key >> 32)}, static_cast<std::uint16_t>(key >> 16)};
}
[[nodiscard]] HOST_DEVICE constexpr transport transport_of(std::uint64_t key) {
  return static_cast<transport>((key & 0xff) - 1);
}

// The phase of a session's life. A session that is being made can be used, but does not age. An ended session stays
// unchanged for a while, for packets that have just found it.
enum class phase : std::uint8_t { unused, making, live, ended };
enum class origin : std::uint8_t { packet, configured };

// The state of a session's TCP connections together, as in tcp_mapping.h: bits, or-ed. 0: unknown, because the session
// was restored or told by a GPU.
namespace tcp_state {
inline constexpr std::uint8_t opened_inside = 1;   // a SYN, or a segment of an older connection
inline constexpr std::uint8_t opened_outside = 2;  // and it was answered
inline constexpr std::uint8_t closed = 32;         // every connection has been closed or reset
inline constexpr std::uint8_t unlisted = 64;       // it has or had connections that are not known one by one
}  // namespace tcp_state

// The same byte of a session of UDP or ICMP. 0: unknown, because the session was restored or told by a GPU.
namespace datagram_state {
inline constexpr std::uint8_t fresh = 1;      // a packet made it here
inline constexpr std::uint8_t replied = 2;    // a packet has come from outside
inline constexpr std::uint8_t sustained = 4;  // a packet left in a later second
}  // namespace datagram_state

// The word of a session that packets change: the second of its last use, its states, the number of TCP connections
// known to be alive, and its generation, which counts the sessions that have had the record: a thread that has seen
// another session does not change this one's word.
class life {
 public:
  static constexpr std::uint32_t most_connections = (1U << 13) - 1;

  life() = default;
  HOST_DEVICE constexpr explicit life(std::uint64_t raw) : raw_{raw} {}
  HOST_DEVICE constexpr life(std::uint32_t used, phase at, origin from, std::uint8_t tcp, std::uint8_t generation = 0)
      : raw_{std::uint64_t{used} << 32 | std::uint64_t{generation} << 24 |
             std::uint64_t{static_cast<std::uint8_t>(from)} << 10 | std::uint64_t{static_cast<std::uint8_t>(at)} << 8 |
             tcp} {}

  [[nodiscard]] HOST_DEVICE constexpr std::uint64_t raw() const { return raw_; }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t used() const { return static_cast<std::uint32_t>(raw_ >> 32); }
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t tcp() const { return static_cast<std::uint8_t>(raw_); }
  [[nodiscard]] HOST_DEVICE constexpr phase at() const { return static_cast<phase>(raw_ >> 8 & 3); }
  [[nodiscard]] HOST_DEVICE constexpr origin from() const { return static_cast<origin>(raw_ >> 10 & 1); }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t connections() const {
    return static_cast<std::uint32_t>(raw_ >> 11 & most_connections);
  }
  [[nodiscard]] HOST_DEVICE constexpr bool is_live() const { return at() == phase::live || at() == phase::making; }
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t generation() const { return static_cast<std::uint8_t>(raw_ >> 24); }
  [[nodiscard]] HOST_DEVICE constexpr life seen(std::uint32_t now, std::uint8_t tcp) const {
    return life{std::uint64_t{now} << 32 | (raw_ & 0xffff'ff00) | tcp};
  }
  [[nodiscard]] HOST_DEVICE constexpr life with(std::uint8_t tcp, std::uint32_t connections) const {
    constexpr auto changed = std::uint64_t{most_connections} << 11 | 0xff;
    return life{(raw_ & ~changed) | std::uint64_t{connections} << 11 | tcp};
  }
  [[nodiscard]] HOST_DEVICE constexpr life ended(std::uint32_t now) const {
    return life{now, phase::ended, from(), tcp(), generation()};
  }
  // The word of a free record, until the next session begins there.
  [[nodiscard]] HOST_DEVICE constexpr life vacated() const {
    return life{0, phase::unused, origin::packet, 0, static_cast<std::uint8_t>(generation() + 1)};
  }

 private:
  std::uint64_t raw_;
};

// A mapping between an inside and an outside endpoint (RFC 4787, 4.1), and all that is known of it: one sector of a
// GPU's memory. Number 0 of a table is none.
struct alignas(32) session {
  std::uint64_t inside;   // key_of the inside endpoint
  std::uint64_t outside;  // key_of the outside endpoint
  std::uint64_t life;
  std::uint64_t place;  // place_of the slots that count it

  // The slots of its host and its prefix that count it, as in shares.h.
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t slots() const { return static_cast<std::uint32_t>(place); }
  // Position of its outside address among the table's.
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t pool() const { return static_cast<std::uint32_t>(place >> 32); }
};
static_assert(sizeof(session) == 32 && std::is_trivially_copyable_v<session>);
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t place_of(std::uint32_t slots, std::uint32_t pool) {
  return std::uint64_t{pool} << 32 | slots;
}

// The direction of a packet.
enum class direction : std::uint8_t { out, in };

// The session as it is now, each word whole, for a packet that goes this way: `out` looks for the inside endpoint, `in`
// for the outside one. A record may become another session's at any time. If the wanted endpoint is the session's and
// the session is live, the other endpoint belongs to the same session: on a GPU both are one access; on a CPU the other
// endpoint is read first, the word of life next, and the wanted endpoint last, and a record is not live while its
// endpoints change.
[[nodiscard, gnu::always_inline]] HOST_DEVICE inline session load_session(session const& from,
                                                                          direction way = direction::out) {
#if defined(__CUDA_ARCH__)
  auto const keys = load_pair(&from.inside);
  auto const rest = load_pair(&from.life);
  return {keys.first, keys.second, rest.first, rest.second};
#else
  session seen;
  if (way == direction::out) seen.outside = load_leading(from.outside);
  if (way == direction::in) seen.inside = load_leading(from.inside);
  seen.life = load_leading(from.life);
  seen.place = load_leading(from.place);
  if (way == direction::out) seen.inside = load_leading(from.inside);
  if (way == direction::in) seen.outside = load_leading(from.outside);
  return seen;
#endif
}
// The session, valid while its word of life stays the same: a compare-and-swap of this word that succeeds proves that
// the other words were this session's, too.
[[nodiscard]] HOST_DEVICE inline session load_provable(session const& from) {
  auto const life = shared(from.life).load(cuda::memory_order_acquire);
  auto held = load_session(from);
  held.life = life;
  return held;
}
// Begins a session in a record that is the caller's. Returns the word of its life, which has the record's generation.
HOST_DEVICE inline std::uint64_t store_session(session& to, session const& from) {
  life const before{shared(to.life).load(cuda::memory_order_relaxed)};
  store_pair(&to.inside, {from.inside, from.outside});
  shared(to.place).store(from.place, cuda::memory_order_relaxed);
  constexpr std::uint64_t generation_bits = 0xff00'0000;
  auto const begun = (from.life & ~generation_bits) | std::uint64_t{before.generation()} << 24;
  shared(to.life).store(begun, cuda::memory_order_release);
  return begun;
}
// Undoes store_session(): no session began in the record after all.
HOST_DEVICE inline void take_back(session& record) {
  life const seen{shared(record.life).load(cuda::memory_order_relaxed)};
  shared(record.life).store(seen.vacated().raw(), cuda::memory_order_release);
}

// From making to live, whatever changes packets have made to the word meanwhile.
HOST_DEVICE inline void finish_making(std::uint64_t& word) {
  constexpr std::uint64_t one_phase = 1U << 8;
  shared(word).fetch_add(one_phase, cuda::memory_order_acq_rel);
}

// The state of a UDP or ICMP session after one more packet.
enum class second : std::uint8_t { same, later };
[[nodiscard]] HOST_DEVICE constexpr std::uint8_t after_datagram(std::uint8_t state, direction way, second in) {
  if (way == direction::in) return static_cast<std::uint8_t>(state | datagram_state::replied);
  return static_cast<std::uint8_t>(in == second::later ? state | datagram_state::sustained : state);
}

// Both sides have sent an opening segment, and not every connection has been closed: RFC 5382's "established".
[[nodiscard]] HOST_DEVICE constexpr bool is_established(std::uint8_t state) {
  constexpr unsigned opened = tcp_state::opened_inside | tcp_state::opened_outside;
  return (state & (opened | tcp_state::closed)) == opened;
}

}  // namespace packetwarp::nat
