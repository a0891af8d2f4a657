// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "function/ruled_nat44/ruled_nat44.h"
#include "parity/nat44_oracle.h"
#include "parity/ruled_router_oracle.h"

namespace packetwarp::test {

[[nodiscard]] inline table_refs<ruled_nat44> ruled_nat44_tables(table_place copy) {
  return behind_rules<ruled_nat44>(copy, nat44_tables(copy));
}

}  // namespace packetwarp::test
