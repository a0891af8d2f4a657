// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <optional>

#include "wire/address.h"
#include "wire/arp.h"

namespace packetwarp {

// The content of an ARP frame (RFC 826).
struct arp_message {
  wire::arp_operation operation{};
  wire::mac_address sender_mac;
  wire::ipv4_address sender;
  wire::ipv4_address target;
};

// Nothing: the frame is shorter than it says, not of IPv4 over Ethernet, neither request nor reply, or from no host's
// MAC address.
[[nodiscard]] std::optional<arp_message> read_arp(rte_mbuf& frame);

// Makes a request the reply that `own` has the target's address.
void turn_into_arp_reply(rte_mbuf& request, wire::mac_address const& own);

// A request from an own address: to all hosts on the wire, or to the host that had the target's address last. nullptr
// if the pool is empty.
[[nodiscard]] rte_mbuf* make_arp_request(rte_mempool& pool, wire::mac_address const& own, wire::ipv4_address source,
                                         wire::ipv4_address target, std::optional<wire::mac_address> last_known);

}  // namespace packetwarp
