// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/departure_rules.h"

#include "burst/burst.h"
#include "function/rules/rules.h"
#include "function/rules/rules_table.h"
#include "topology/front_moves.h"

namespace packetwarp {

departure_rules::departure_rules(plan const& planned, rules_table const* table) : are_there_{table != nullptr} {
  std::vector<rules_egress> egresses;
  for (auto const& port : planned.ports) {
    ports_.push_back(port.facts.id);
    egresses.push_back({.port = port.facts.id, .by = egress_index{0}});
  }
  if (are_there_) rules_ = table->ref(ports_.front(), egresses);
}

bool departure_rules::let_leave(rte_mbuf& packet, std::size_t port) const {
  auto const id = ports_[port].value();
  if (!are_there_ || id >= max_rules_ports) return true;
  auto const said = rules::leave_by(view_of(packet), rules_, id, verdict::forward(egress_index{0}));
  if (said.what() != verdict::action::forward) return false;
  if (said.move() != front_move::none) move_front(packet, bytes_pushed(said.move()));
  return true;
}

}  // namespace packetwarp
