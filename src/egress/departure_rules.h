// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.h"
#include "function/rules/rules_layout.h"

struct rte_mbuf;

namespace packetwarp {

class rules_table;

// The egress rules that packets meet which leave without having been through a pipeline's function: what the control
// plane sends, and the kernel. For the changer of the rules, and for workers, whose loop iterations it awaits.
class departure_rules {
 public:
  // None.
  departure_rules() = default;
  // ports: of the plan, in its order. The table is where the CPU reaches it, and outlives this; nullptr is none.
  departure_rules(std::vector<port_id> ports, rules_table const* table);

  // Does to the packet what the rules of the port say by which it leaves, a position in the plan; false where they
  // have it dropped, and the packet is the caller's still.
  [[nodiscard]] bool let_leave(rte_mbuf& packet, std::size_t port) const;
  // The same of all; moves those that are to be dropped to the end, and says how many leave.
  [[nodiscard]] std::size_t let_leave(std::span<rte_mbuf*> packets, std::size_t port) const;

 private:
  std::vector<port_id> ports_;
  rules_ref rules_{};
  bool are_there_{};
};

}  // namespace packetwarp
