// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

#include "function/nat44/nat44_ref.h"
#include "function/nat44/session/find_session.h"
#include "fuzz/input.h"

namespace packetwarp::fuzz {

// No two sessions have the same endpoint, each is found by its own, and none of the `records` that packets may take is
// lost. Between packets, when no session is being made.
inline void check_sessions(nat44_ref const& tables, std::uint32_t records) {
  std::set<std::uint64_t> insides;
  std::set<std::uint64_t> outsides;
  std::uint32_t free = 0;
  std::uint32_t used = 0;
  for (std::uint32_t n = 1; n < tables.rare->sessions; ++n) {
    auto const held = nat::load_session(tables.sessions[n]);
    nat::life const life{held.life};
    free += tables.free_sessions().is_free(n);
    if (life.at() == nat::phase::unused) continue;
    used += n < tables.rare->first_forward;
    require(life.at() != nat::phase::making);
    require(outsides.insert(held.outside).second);
    if (life.is_live()) require(insides.insert(held.inside).second);
    if (life.is_live()) require(nat::find_inside(tables, held.inside).number == n);
  }
  require(free + used == records);  // port forwards have records of their own
}

}  // namespace packetwarp::fuzz
