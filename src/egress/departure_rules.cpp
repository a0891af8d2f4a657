// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "egress/departure_rules.h"

#include <rte_ether.h>

#include <algorithm>

#include "burst/burst.h"
#include "burst/front_moves.h"
#include "function/rules/rules.h"
#include "function/rules/rules_table.h"

namespace packetwarp {

departure_rules::departure_rules(std::vector<port_id> ports, rules_table const* table)
    : ports_{std::move(ports)}, are_there_{table != nullptr} {
  std::vector<rules_egress> egresses;
  for (auto const port : ports_) egresses.push_back({.port = port, .by = egress_index{0}});
  if (table != nullptr) rules_ = table->ref(ports_.front(), egresses);
}

bool departure_rules::let_leave(rte_mbuf& packet, std::size_t port) const {
  if (!are_there_ || ports_[port].value() >= max_rules_ports) return true;
  // No rule is for what has no Ethernet header.
  if (packet.data_len < RTE_ETHER_HDR_LEN) return true;
  auto const said = rules::leave_by(view_of(packet), rules_, rules_.root->in_force(), ports_[port].value(),
                                    verdict::forward(egress_index{0}));
  if (said.what() != verdict::action::forward) return false;
  if (said.move() != front_move::none) move_front(packet, bytes_pushed(said.move()));
  return true;
}

std::size_t departure_rules::let_leave(std::span<rte_mbuf*> packets, std::size_t port) const {
  if (!are_there_) return packets.size();
  auto const dropped =
      std::stable_partition(packets.begin(), packets.end(), [&](auto* packet) { return let_leave(*packet, port); });
  return static_cast<std::size_t>(dropped - packets.begin());
}

}  // namespace packetwarp
