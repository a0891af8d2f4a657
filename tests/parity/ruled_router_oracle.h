// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "executor/make.h"
#include "function/ruled_router/ruled_router.h"
#include "memory/table_memory.h"
#include "parity/router_oracle.h"
#include "parity/rules_oracle.h"

namespace packetwarp::test {

// The parity suite's rules, its router for what no rule decides on, and port 1's egress rule for what that sends there.
[[nodiscard]] inline table_refs<ruled_router> ruled_router_tables(table_place copy) {
  auto const first = rules_tables(copy);
  auto const next = router_tables(copy);
  auto const both = [](rules::ref const& of_rules, router::ref const& of_router) {
    ruled_router::ref tables{.rules = of_rules, .next = of_router};
    std::fill(std::begin(tables.port_of), std::end(tables.port_of), ruled_router::no_port);
    tables.port_of[0] = 0;
    tables.port_of[1] = 1;
    return tables;
  };
  return {both(first.cpu, next.cpu), both(first.gpu, next.gpu)};
}

}  // namespace packetwarp::test
