// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/ids.h"
#include "function/rules/rules_layout.h"
#include "topology/plan.h"

struct rte_mbuf;

namespace packetwarp {

class rules_table;

// The egress rules that packets meet which leave without having been through a pipeline's function: what the control
// plane sends. For the thread that changes the rules.
class departure_rules {
 public:
  // Rules of the plan's ports, where the CPU reaches them; nullptr where there are none. The table outlives it.
  departure_rules(plan const& planned, rules_table const* table);

  // Does to the packet what the rules of the port say by which it leaves, a position in the plan; false where they
  // have it dropped, and the packet is the caller's still.
  [[nodiscard]] bool let_leave(rte_mbuf& packet, std::size_t port) const;

 private:
  std::vector<port_id> ports_;
  rules_ref rules_{};
  bool are_there_{};
};

}  // namespace packetwarp
