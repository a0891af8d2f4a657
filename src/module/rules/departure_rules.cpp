// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/departure_rules.h"

#include <rte_ether.h>

#include <utility>

#include "burst/burst.h"
#include "burst/front_moves.h"
#include "function/rules/rules.h"
#include "function/rules/rules_table.h"

namespace packetwarp {

departure_rules::departure_rules(std::vector<port_id> ports, rules_table const& table) : ports_{std::move(ports)} {
  std::vector<rules_egress> egresses;
  for (auto const port : ports_) egresses.push_back({.port = port, .by = egress_index{0}});
  rules_ = table.ref(ports_.front(), egresses);
}

bool departure_rules::let_leave(rte_mbuf& packet, std::size_t port) const {
  if (ports_[port].value() >= max_rules_ports) return true;
  // A packet without an Ethernet header matches no rule.
  if (packet.data_len < RTE_ETHER_HDR_LEN) return true;
  auto const said = rules::leave_by(view_of(packet), rules_, rules_.root->in_force(), ports_[port].value(),
                                    verdict::forward(egress_index{0}));
  if (said.move() != front_move::none) move_front(packet, bytes_pushed(said.move()));
  return said.what() == verdict::action::forward;
}

}  // namespace packetwarp
