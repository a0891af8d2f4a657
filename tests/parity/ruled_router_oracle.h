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

// The parity suite's rules, another function of it for what no rule decides on, and port 1's egress rule for what that
// sends there.
template <class F, class Next>
[[nodiscard]] table_refs<F> behind_rules(table_place copy, table_refs<Next> const& next) {
  auto const first = rules_tables(copy);
  auto const both = [](rules::ref const& of_rules, typename Next::ref const& of_next) {
    typename F::ref tables{.rules = of_rules, .next = of_next};
    std::fill(std::begin(tables.port_of), std::end(tables.port_of), F::no_port);
    tables.port_of[0] = 0;
    tables.port_of[1] = 1;
    return tables;
  };
  return {both(first.cpu, next.cpu), both(first.gpu, next.gpu)};
}

[[nodiscard]] inline table_refs<ruled_router> ruled_router_tables(table_place copy) {
  return behind_rules<ruled_router>(copy, router_tables(copy));
}

}  // namespace packetwarp::test
