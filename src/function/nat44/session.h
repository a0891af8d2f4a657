// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "function/nat44/shared_word.h"
#include "wire/address.h"
#include "wire/tcp.h"

namespace packetwarp::nat {

// What a port number is counted by: each has ports of its own. ICMP's are the identifiers of queries (RFC 5508, 3.1).
enum class transport : std::uint8_t { udp, tcp, icmp, none };
inline constexpr std::uint32_t transports = 3;

// An address and a port of one transport, as one word: what a session is found by. 0 is none.
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

// Where a session is in its life. One that is being made can be used, but does not age. What has ended stays as it is
// for a while, for packets that have just found it.
enum class phase : std::uint8_t { unused, making, live, ended };
enum class origin : std::uint8_t { packet, configured };

// What a session's TCP connections have come to, as far as its address and port tell: bits, or-ed.
namespace tcp_state {
inline constexpr std::uint8_t opened_inside = 1;  // a SYN, or a segment of a connection that was there before
inline constexpr std::uint8_t opened_outside = 2;
inline constexpr std::uint8_t closed_inside = 4;  // a FIN
inline constexpr std::uint8_t closed_outside = 8;
inline constexpr std::uint8_t reset = 16;
}  // namespace tcp_state

// The word of a session that packets change: when it was last used, in seconds, and its states.
class life {
 public:
  life() = default;
  HOST_DEVICE constexpr explicit life(std::uint64_t raw) : raw_{raw} {}
  HOST_DEVICE constexpr life(std::uint32_t used, phase at, origin from, std::uint8_t tcp)
      : raw_{std::uint64_t{used} << 32 | std::uint64_t{static_cast<std::uint8_t>(from)} << 16 |
             std::uint64_t{static_cast<std::uint8_t>(at)} << 8 | tcp} {}

  [[nodiscard]] HOST_DEVICE constexpr std::uint64_t raw() const { return raw_; }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t used() const { return static_cast<std::uint32_t>(raw_ >> 32); }
  [[nodiscard]] HOST_DEVICE constexpr std::uint8_t tcp() const { return static_cast<std::uint8_t>(raw_); }
  [[nodiscard]] HOST_DEVICE constexpr phase at() const { return static_cast<phase>(raw_ >> 8 & 0xff); }
  [[nodiscard]] HOST_DEVICE constexpr origin from() const { return static_cast<origin>(raw_ >> 16 & 0xff); }
  [[nodiscard]] HOST_DEVICE constexpr bool is_live() const { return at() == phase::live || at() == phase::making; }
  [[nodiscard]] HOST_DEVICE constexpr life seen(std::uint32_t now, std::uint8_t tcp) const {
    return life{now, at(), from(), tcp};
  }
  [[nodiscard]] HOST_DEVICE constexpr life ended(std::uint32_t now) const {
    return life{now, phase::ended, from(), tcp()};
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
  std::uint64_t place;  // place_of what it counts for

  // Where its inside host's sessions are counted, or no_host.
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t host() const { return static_cast<std::uint32_t>(place); }
  // Position of its outside address among the table's.
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t pool() const { return static_cast<std::uint32_t>(place >> 32); }
};
static_assert(sizeof(session) == 32 && std::is_trivially_copyable_v<session>);
inline constexpr std::uint32_t no_host = ~std::uint32_t{0};
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t place_of(std::uint32_t host, std::uint32_t pool) {
  return std::uint64_t{pool} << 32 | host;
}

// As it is now, each word whole. Its endpoints go together: a record's change only long after it has ended.
[[nodiscard]] HOST_DEVICE inline session load_session(session const& from) {
  auto const keys = load_pair(&from.inside);
  auto const rest = load_pair(&from.life);
  return {keys.first, keys.second, rest.first, rest.second};
}
HOST_DEVICE inline void store_session(session& to, session const& from) {
  shared(to.inside).store(from.inside, cuda::memory_order_relaxed);
  shared(to.outside).store(from.outside, cuda::memory_order_relaxed);
  shared(to.place).store(from.place, cuda::memory_order_relaxed);
  shared(to.life).store(from.life, cuda::memory_order_release);
}

// From making to live, whatever packets have done to the word meanwhile.
HOST_DEVICE inline void finish_making(std::uint64_t& word) {
  constexpr std::uint64_t one_phase = 1U << 8;
  shared(word).fetch_add(one_phase, cuda::memory_order_acq_rel);
}

// Which way a packet goes.
enum class direction : std::uint8_t { out, in };

// The state of TCP after one more segment. A SYN from inside begins anew what was closed (RFC 5382, 5).
[[nodiscard]] HOST_DEVICE constexpr std::uint8_t after_segment(std::uint8_t state, std::uint8_t flags, direction way) {
  bool const is_out = way == direction::out;
  if ((flags & wire::tcp_flag::rst) != 0) return static_cast<std::uint8_t>(state | tcp_state::reset);
  bool const is_syn = (flags & wire::tcp_flag::syn) != 0;
  if (is_syn && is_out && (state & ~(tcp_state::opened_inside | tcp_state::opened_outside)) != 0) {
    return tcp_state::opened_inside;
  }
  unsigned after = state | (is_out ? tcp_state::opened_inside : tcp_state::opened_outside);
  if ((flags & wire::tcp_flag::fin) != 0) after |= is_out ? tcp_state::closed_inside : tcp_state::closed_outside;
  return static_cast<std::uint8_t>(after);
}

// Both sides have sent something that opens, and it has not been closed: RFC 5382's "established".
[[nodiscard]] HOST_DEVICE constexpr bool is_established(std::uint8_t state) {
  constexpr unsigned opened = tcp_state::opened_inside | tcp_state::opened_outside;
  constexpr unsigned closed = tcp_state::closed_inside | tcp_state::closed_outside;
  return (state & opened) == opened && (state & closed) != closed && (state & tcp_state::reset) == 0;
}

}  // namespace packetwarp::nat
