// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <vector>

#include "address/interface_index.h"
#include "address/ip_address.h"
#include "routing/router_table.h"
#include "wire/address.h"

namespace packetwarp {

// The interface's own addresses that hosts may remember with another MAC address. The link-local address that follows
// from the MAC address is not among them, nor are anycast addresses, which are no router's alone. None for an interface
// that does not route.
[[nodiscard]] std::vector<ip_address> addresses_to_announce(router_table const& tables, interface_index of);

// Tells all hosts on the wire that `own` has the address: an ARP announcement (RFC 5227, 2.3), or an unsolicited
// neighbour advertisement to all nodes (RFC 4861, 7.2.6). nullptr if the pool is empty.
[[nodiscard]] rte_mbuf* make_announcement(rte_mempool& pool, wire::mac_address const& own, ip_address const& address);

}  // namespace packetwarp
