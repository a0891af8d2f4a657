// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "executor/make.h"
#include "function/chain.h"
#include "parity/nat44_oracle.h"
#include "parity/router_oracle.h"
#include "parity/rules_oracle.h"

namespace packetwarp::test {

using routed_rules = chain<rules, router>;
using routed_rules_and_nat44 = chain<rules, nat44, router>;

// The parity suite's rules before its router, which sends packets for port n by egress n: egress rules of port 1 see
// them.
[[nodiscard]] inline table_refs<routed_rules> routed_rules_tables(table_place copy) {
  auto const first = rules_tables(copy, 0);
  auto const last = router_tables(copy);
  return {{first.cpu, last.cpu}, {first.gpu, last.gpu}};
}

[[nodiscard]] inline table_refs<routed_rules_and_nat44> routed_rules_and_nat44_tables(table_place copy) {
  auto const first = rules_tables(copy, 0);
  auto const last = nat44_tables(copy);
  return {{first.cpu, last.cpu.of<nat44>(), last.cpu.of<router>()},
          {first.gpu, last.gpu.of<nat44>(), last.gpu.of<router>()}};
}

}  // namespace packetwarp::test
