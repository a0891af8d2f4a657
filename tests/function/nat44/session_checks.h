// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/find_session.h"

// The invariants of a NAT44's tables while no thread changes them.
namespace packetwarp::test {

struct table_facts {
  std::uint64_t live{};
  std::uint64_t ended{};
  std::uint64_t free_sessions{};
  std::uint64_t free_ports{};
  std::uint64_t outside_entries{};
  std::uint64_t index_entries{};
};

// No two sessions have the same inside or outside endpoint; each is found by both, and everything that is in no session
// is free.
inline table_facts check_tables(nat44_ref const& tables, std::uint32_t buckets) {
  auto const& rare = *tables.rare;
  table_facts found;
  std::set<std::uint64_t> insides;
  std::set<std::uint64_t> outsides;
  for (std::uint32_t n = 1; n < rare.sessions; ++n) {
    auto const held = nat::load_session(tables.sessions[n]);
    auto const at = nat::life{held.life}.at();
    // A record of a port forward is never free for a session.
    EXPECT_EQ(tables.free_sessions().is_free(n), at == nat::phase::unused && n < rare.first_forward) << n;
    found.free_sessions += tables.free_sessions().is_free(n);
    if (at == nat::phase::unused) continue;
    EXPECT_TRUE(outsides.insert(held.outside).second) << "outside port of two sessions: " << std::hex << held.outside;
    found.ended += at == nat::phase::ended;
    if (at != nat::phase::live) continue;
    ++found.live;
    EXPECT_TRUE(insides.insert(held.inside).second) << "inside port of two sessions: " << std::hex << held.inside;
    EXPECT_EQ(nat::find_inside(tables, held.inside).number, n);
    auto const kind = nat::transport_of(held.outside);
    EXPECT_EQ(nat::find_outside(tables, kind, held.pool(), nat::endpoint_of(held.outside)).number, n);
    EXPECT_FALSE(tables.free_ports(kind, held.pool()).is_free(nat::endpoint_of(held.outside).port));
  }
  for (std::uint32_t kind = 0; kind < nat::transports; ++kind) {
    for (std::uint32_t pool = 0; pool < tables.pool_size; ++pool) {
      auto const free = tables.free_ports(static_cast<nat::transport>(kind), pool);
      for (std::uint32_t port = 0; port < nat::port_count; ++port) {
        found.free_ports += free.is_free(port);
        auto const at = tables.position_of(static_cast<nat::transport>(kind), pool, static_cast<std::uint16_t>(port));
        found.outside_entries += tables.outside[at] != 0;
      }
    }
  }
  for (std::uint32_t n = 0; n < buckets; ++n) {
    EXPECT_EQ(tables.buckets[n].control & 1, 0u) << "a bucket is still locked";
    for (auto const entry : tables.buckets[n].entries) found.index_entries += entry != 0;
  }
  EXPECT_EQ(found.live, found.index_entries);
  EXPECT_EQ(found.live + found.ended, found.outside_entries);
  return found;
}

}  // namespace packetwarp::test
