// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/announcement.h"

#include <optional>
#include <variant>

#include "address/link_local.h"
#include "control/arp.h"
#include "control/neighbour_discovery.h"

namespace packetwarp {

std::vector<ip_address> addresses_to_announce(router_table const& tables, interface_index of) {
  std::vector<ip_address> all;
  if (static_cast<std::size_t>(of) >= tables.interfaces()) return all;
  auto const& facts = tables.facts(of);
  ip_address const derived = link_local_of(facts.mac).address;
  for (auto const& one : facts.addresses) {
    if (one.address != derived) all.push_back(one.address);
  }
  return all;
}

rte_mbuf* make_announcement(rte_mempool& pool, wire::mac_address const& own, ip_address const& address) {
  if (auto const* const ipv4 = std::get_if<wire::ipv4_address>(&address)) {
    return make_arp_request(pool, own, *ipv4, *ipv4, std::nullopt);
  }
  discovery_message unasked;  // its source is unspecified
  unasked.target = std::get<wire::ipv6_address>(address);
  return make_advertisement(pool, own, unasked, {}, discovery_message::claim::overrides);
}

}  // namespace packetwarp
