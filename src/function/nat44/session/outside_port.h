// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/fault.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/shares.h"

// Chooses the outside address and port of a new session. A port is never given twice (RFC 4787, REQ-3).
namespace packetwarp::nat {

struct outside_port {
  std::uint32_t pool;  // position of the address; no_pool: there is no port
  std::uint16_t port;
  fault wrong{fault::none};  // why no port was found
};

// Ports from the first to the last one.
struct port_range {
  std::uint32_t first;
  std::uint32_t last;
  // The port is in a block of the part if the range has such a block: a search for even ports does not leave its block.
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t at(std::uint32_t hash, part of) const {
    auto const any = first + hash % (last - first + 1);
    if (of.has(any)) return any;
    auto const turn = part::block * of.of;
    auto const own = any / turn * turn + of.number * part::block + any % part::block;
    if (own > last) return own >= first + turn ? own - turn : any;
    return own >= first ? own : own + turn <= last ? own + turn : any;
  }
};
// The range of ports for a session: well-known ports for a well-known port, and the other ports for others (RFC 4787,
// REQ-3 a), as far as both exist. ICMP's identifiers are of one kind.
[[nodiscard]] HOST_DEVICE inline port_range ports_for(settings const& rare, transport kind, std::uint16_t wanted) {
  constexpr std::uint32_t first_high = port_set::well_known;
  port_range const all{rare.first_port, rare.last_port};
  bool const has_both = all.first < first_high && all.last >= first_high;
  if (!has_both) return all;
  bool const is_low = kind != transport::icmp && wanted < first_high;
  return is_low ? port_range{all.first, first_high - 1} : port_range{first_high, all.last};
}

[[nodiscard]] HOST_DEVICE inline std::uint32_t take_port_in(port_set const& free, port_range range, part of,
                                                            transport kind, std::uint16_t wanted, std::uint32_t hash) {
  auto const start = range.at(hash, of);
  auto const& ports = free.around(start);
  // The port is as even or odd as the session's own (REQ-4), because RTP and RTCP differ in it.
  if (kind == transport::udp) {
    constexpr std::uint64_t even = 0x5555'5555'5555'5555;
    auto const port = ports.take_near(start, (wanted & 1) == 0 ? even : ~even);
    if (port != free_set::none) return port;
  }
  return ports.take(start);
}

[[nodiscard]] HOST_DEVICE inline outside_port take_port_of(nat44_ref const& tables, transport kind, std::uint32_t pool,
                                                           std::uint16_t wanted, std::uint32_t hash) {
  auto const& rare = *tables.rare;
  auto const free = tables.free_ports(kind, pool);
  // The session's own port is tried first (RFC 4787, 4.2.1): a port out of range is not in the set.
  if (free.take_exactly(wanted)) return {pool, wanted};
  auto const range = ports_for(rare, kind, wanted);
  auto port = take_port_in(free, range, rare.part, kind, wanted, hash);
  // REQ-3 recommends the range; rather than none a low port gets a high one, of which many exist. The reverse does not
  // happen.
  bool const is_low = range.last < port_set::well_known && range.last < rare.last_port;
  bool const is_query = kind == transport::icmp && range.first > rare.first_port;
  if (port == free_set::none && is_low) {
    port = take_port_in(free, {port_set::well_known, rare.last_port}, rare.part, kind, wanted, hash);
  } else if (port == free_set::none && is_query) {
    port = take_port_in(free, {rare.first_port, port_set::well_known - 1}, rare.part, kind, wanted, hash);
  }
  if (port == free_set::none) return {no_pool, 0, fault::no_port};
  return {pool, static_cast<std::uint16_t>(port)};
}

// A host's place among `addresses` outside addresses. The hosts of a /24 have them in turn, so that a hundred hosts
// leave none of 64 unused, where a hash would leave 13; the place of its first host follows from the network, which a
// golden section of the addresses spreads (Knuth 6.4). The key of the hashes is not used: a host has the same outside
// address after a restart.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t place_in_pool(wire::ipv4_address host, std::uint32_t addresses) {
  std::uint32_t const network = (host.number >> 8) * 0x9e37'79b9U;
  auto const first = static_cast<std::uint32_t>(std::uint64_t{network} * addresses >> 32);
  return (first + (host.number & 0xff)) % addresses;
}

// Calls visit with the positions of the outside addresses that a host's sessions may have, until visit says that it is
// done. A host has one (RFC 4787, REQ-2), which follows from its own address, for each egress that has addresses of its
// own; with arbitrary pooling it has more.
enum class visited : std::uint8_t { go_on, done };
template <class Visit>
HOST_DEVICE inline void visit_pool(nat44_ref const& tables, wire::ipv4_address inside, std::uint32_t egress,
                                   Visit&& visit) {
  constexpr std::uint32_t most_tried = 16;
  auto const& rare = *tables.rare;
  auto const size = load_settled(rare.pool_size);
  if (size == 0) return;
  auto const first = place_in_pool(inside, size);
  std::uint32_t left = load_settled(rare.pooling) == pooling::paired ? 1 : most_tried;
  for (std::uint32_t i = 0; i < size && left != 0; ++i) {
    auto const pool = load_settled(rare.givers[(first + i) % size]);
    if (!serves(load_settled(rare.gives[pool]), egress)) continue;
    if (visit(pool) == visited::done) return;
    --left;
  }
}

// Adds the slot that counts the port to slots.
[[nodiscard]] HOST_DEVICE inline outside_port take_port(nat44_ref const& tables, transport kind, endpoint inside,
                                                        std::uint32_t egress, std::uint32_t& slots) {
  auto const hash = static_cast<std::uint32_t>(tables.hash(key_of(kind, inside)) >> 32);
  outside_port found{no_pool, 0, fault::no_port};
  visit_pool(tables, inside.address, egress, [&](std::uint32_t pool) {
    if (!count_port(tables, kind, inside.address, pool, slots)) {
      found.wrong = fault::prefix_limit;
      return visited::go_on;
    }
    found = take_port_of(tables, kind, pool, inside.port, hash);
    if (found.pool != no_pool) return visited::done;
    forget_port(tables, kind, inside.address, pool, slots);
    return visited::go_on;
  });
  return found;
}

}  // namespace packetwarp::nat
