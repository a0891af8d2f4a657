// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/hash_key.h"
#include "base/host_device.h"
#include "function/nat44/container/bucket_table.h"
#include "function/nat44/container/free_set.h"
#include "function/nat44/container/port_set.h"
#include "function/nat44/nat44_config.h"
#include "function/nat44/session/journal.h"
#include "function/nat44/session/session.h"

namespace packetwarp {

namespace nat {

inline constexpr std::size_t words_of_ports = port_set::words();
inline constexpr std::uint32_t max_pool = 4096;  // addresses: their ports' sessions are found by 32-bit positions
inline constexpr std::uint32_t no_pool = ~std::uint32_t{0};

// A remote endpoint that a session has sent to, for filters that ask.
struct alignas(32) remote {
  std::uint64_t peer;     // the endpoint's key_of(); its port is 0 where filters do not ask for ports
  std::uint64_t session;  // the session's name_of()
  std::uint64_t life;     // like a session's
  std::uint64_t place;    // inside address above; below, the slots that count it, as in shares.h
};
static_assert(sizeof(remote) == 32 && std::is_trivially_copyable_v<remote>);

// The words that the control thread changes while the table is at work, beside the sessions.
struct alignas(64) clock {
  std::uint32_t now;    // seconds; written once per second
  std::uint32_t modes;  // as modes_of() reads it
};

// The modes of translation, as one word.
struct modes {
  enum filtering filtering;
  enum unmatched unmatched;
  enum new_sessions new_sessions;
};
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t word_of(modes how) {
  return static_cast<std::uint32_t>(how.filtering) | static_cast<std::uint32_t>(how.unmatched) << 8 |
         static_cast<std::uint32_t>(how.new_sessions) << 16;
}
[[nodiscard]] HOST_DEVICE constexpr modes modes_of(std::uint32_t word) {
  return {static_cast<enum filtering>(word & 0xff), static_cast<enum unmatched>(word >> 8 & 0xff),
          static_cast<enum new_sessions>(word >> 16 & 0xff)};
}

[[nodiscard]] inline modes modes_in(nat44_config const& config) {
  return {config.filtering, config.unmatched, config.new_sessions};
}

// The sessions that get ports of an outside address: none, if its sessions have to end; or the sessions that leave by
// an egress.
inline constexpr std::uint32_t gift_to_none = 0;
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t gift_to(std::uint32_t egress) { return egress + 2; }
// Whether an address with this gift serves sessions that leave by the egress; every address with a gift serves
// any_egress.
[[nodiscard]] HOST_DEVICE constexpr bool serves(std::uint32_t gift, std::uint32_t egress) {
  return gift == gift_to(any_egress) || gift == gift_to(egress) || (egress == any_egress && gift != gift_to_none);
}
static_assert(gift_to(any_egress) == 1 && serves(gift_to(any_egress), 3) && !serves(gift_to(2), 3));

// The limits of an inside host and its prefix; 0: any number.
struct share_limits {
  std::uint32_t host;
  std::uint32_t prefix;
  std::uint32_t ports;  // of one transport and outside address, for a prefix
  std::uint32_t host_remotes;
  std::uint32_t prefix_remotes;
};

// A port forward as it should be: its keys, or 0 for no port forward. Its session has a record of its own.
struct alignas(16) forward_order {
  std::uint64_t inside;
  std::uint64_t outside;
};
static_assert(sizeof(forward_order) == 16 && std::is_trivially_copyable_v<forward_order>);

// Words that are needed only when a session is made or ends. The control thread changes them, one word at a time, by
// nat44_change.h.
struct settings {
  std::uint64_t* free_sessions;
  std::uint64_t* free_ports;  // words_of_ports for each transport and pool address
  std::uint64_t* shares;      // the use by hosts and prefixes, as in shares.h
  std::uint64_t* free_remotes;
  remote* remotes;
  bucket* remote_buckets;
  std::uint64_t* connections;      // of TCP, as in connections.h
  wire::ipv4_address const* pool;  // outside addresses by their position
  std::uint32_t const* givers;     // positions of addresses that sessions get, pool_size of them
  std::uint32_t const* gives;      // by position: the sessions that get its ports, as gift_to() says
  forward_order const* forwards;   // one for each record from first_forward on
  journal_ref journal;
  struct timeouts timeouts;
  std::uint32_t sessions;       // records, including the one that is none
  std::uint32_t first_forward;  // the first record of port forwards
  std::uint32_t remote_records;
  std::uint32_t remote_mask;
  std::uint32_t connection_mask;  // lines of connections - 1
  std::uint32_t pool_size;
  std::uint32_t share_lines;  // a power of two
  std::uint32_t share_mask;   // of a prefix
  share_limits limits;
  enum pooling pooling;
  std::uint16_t first_port;
  std::uint16_t last_port;
  nat::part part;

  // Whether sessions of packets get this port from these tables.
  [[nodiscard]] HOST_DEVICE bool gives_port(std::uint32_t port) const {
    return port >= first_port && port <= last_port && part.has(port);
  }
};
static_assert(std::is_trivially_copyable_v<settings>);

// The addresses that packets may come to or leave with, as words: the address above, its meaning below. Open
// addressing.
struct address_map {
  static constexpr std::uint32_t is_static = 1U << 31;

  std::uint64_t const* words;
  std::uint32_t mask;

  [[nodiscard]] HOST_DEVICE static constexpr std::uint32_t start_of(wire::ipv4_address address) {
    return static_cast<std::uint32_t>(address.number * 0x9e37'79b9'7f4a'7c15ULL >> 32);  // Knuth 6.4
  }
  // The value of the address; 0 if it never had one, or has one no longer.
  [[nodiscard]] HOST_DEVICE std::uint32_t find(wire::ipv4_address address) const {
    for (auto at = start_of(address);; ++at) {
      auto const word = load_settled(words[at & mask]);
      if (word == 0) return 0;
      if (word >> 32 == address.number) return static_cast<std::uint32_t>(word);
    }
  }
};

}  // namespace nat

// A NAT44's tables as an executor reaches them: the host's, or a GPU's. It does not own them; its nat44_table outlives
// it.
struct nat44_ref {
  nat::session* sessions;
  nat::bucket* buckets;
  std::uint32_t* outside;  // the session of each port: by transport, pool address, port
  nat::clock const* clock;
  nat::settings const* rare;
  nat::side const* sides;              // one per interface
  nat::address_map outside_addresses;  // pool: position + 1. Static: position + 1 in static_inside, and is_static
  nat::address_map static_addresses;   // by inside address: position + 1 in static_outside
  wire::ipv4_address const* static_inside;
  wire::ipv4_address const* static_outside;
  packetwarp::hash_key hash_key;
  std::uint32_t bucket_mask;
  std::uint16_t pool_size;  // the number of positions of outside addresses
  nat::refresh refresh;
  nat::feature feature;
  nat::part part;

  // The hash of a word that strangers choose, for example the key of a session's endpoint.
  [[nodiscard]] HOST_DEVICE std::uint64_t hash(std::uint64_t word) const { return mix(hash_key, word); }
  [[nodiscard]] HOST_DEVICE nat::bucket_table index() const { return {buckets, bucket_mask}; }
  // The position of an outside port's session.
  [[nodiscard]] HOST_DEVICE std::size_t position_of(nat::transport kind, std::uint32_t pool, std::uint16_t port) const {
    return (static_cast<std::size_t>(kind) * pool_size + pool) * nat::port_count + port;
  }
  [[nodiscard]] HOST_DEVICE nat::port_set free_ports(nat::transport kind, std::uint32_t pool) const {
    return nat::port_set{rare->free_ports + (static_cast<std::size_t>(kind) * pool_size + pool) * nat::words_of_ports};
  }
  [[nodiscard]] HOST_DEVICE nat::free_set free_sessions() const { return {rare->free_sessions, rare->sessions}; }
  [[nodiscard]] HOST_DEVICE nat::modes modes() const { return nat::modes_of(nat::load_settled(clock->modes)); }
  [[nodiscard]] HOST_DEVICE std::uint32_t now() const {
    return nat::shared(clock->now).load(cuda::memory_order_relaxed);
  }
};
static_assert(std::is_trivially_copyable_v<nat44_ref>);
// A kernel takes it by value, beside a router's.
static_assert(sizeof(nat44_ref) <= 144);

}  // namespace packetwarp
