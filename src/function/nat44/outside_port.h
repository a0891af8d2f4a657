// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/nat44/fault.h"
#include "function/nat44/nat44_ref.h"
#include "function/nat44/shares.h"

// Which outside address and port a new session gets. A port is never given twice (RFC 4787, REQ-3).
namespace packetwarp::nat {

struct outside_port {
  std::uint32_t pool;  // position of the address; no_pool: there is no port
  std::uint16_t port;
  fault wrong{fault::none};  // why there is none
};

[[nodiscard]] HOST_DEVICE inline outside_port take_port_of(nat44_ref const& tables, transport kind, std::uint32_t pool,
                                                           std::uint16_t wanted, std::uint32_t hash) {
  auto const& rare = *tables.rare;
  auto const free = tables.free_ports(kind, pool);
  // Its own (RFC 4787, 4.2.1): what is not in the range is not in the set.
  if (free.take_exactly(wanted)) return {pool, wanted};
  std::uint32_t const size = std::uint32_t{rare.last_port} - rare.first_port + 1;
  std::uint32_t const start = rare.first_port + hash % size;
  // As even or odd as its own (REQ-4), which RTP and RTCP are told apart by.
  if (kind == transport::udp) {
    constexpr std::uint64_t even = 0x5555'5555'5555'5555;
    auto const port = free.take_near(start, (wanted & 1) == 0 ? even : ~even);
    if (port != free_set::none) return {pool, static_cast<std::uint16_t>(port)};
  }
  auto const port = free.take(start);
  if (port == free_set::none) return {no_pool, 0, fault::no_port};
  return {pool, static_cast<std::uint16_t>(port)};
}

// Calls visit with the positions of the outside addresses that a host's sessions may have, until it says that it is
// done. One (RFC 4787, REQ-2), which follows from the host's own address, for each egress that has addresses of its
// own; more with arbitrary pooling.
enum class visited : std::uint8_t { go_on, done };
template <class Visit>
HOST_DEVICE inline void visit_pool(nat44_ref const& tables, wire::ipv4_address inside, std::uint32_t egress,
                                   Visit&& visit) {
  constexpr std::uint32_t most_tried = 16;
  auto const& rare = *tables.rare;
  auto const size = load_settled(rare.pool_size);
  // Without the key: a host has the same outside address after a restart.
  auto const host = static_cast<std::uint32_t>(mix(inside.number));
  std::uint32_t left = load_settled(rare.pooling) == pooling::paired ? 1 : most_tried;
  for (std::uint32_t i = 0; i < size && left != 0; ++i) {
    auto const pool = load_settled(rare.givers[(host % size + i) % size]);
    if (!serves(load_settled(rare.gives[pool]), egress)) continue;
    if (visit(pool) == visited::done) return;
    --left;
  }
}

// Adds to slots where the port is counted.
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
