// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "control/action.h"
#include "wire/address.h"

namespace packetwarp {

// The form of a report: of version 2 for a new listener, of version 2 as an answer, or of version 1, which routers of
// version 1 understand (RFC 3810, 8.2.1).
enum class listener_report : std::uint8_t { joined, current, current_v1 };

// A query of multicast listener discovery.
struct listener_query {
  control_time most{};       // the longest delay of an answer
  wire::ipv6_address group;  // unspecified: all groups
  listener_report wanted{};
};

// Reads a query with an intact checksum (RFC 2710, RFC 3810 5.1); nothing for any other packet.
[[nodiscard]] std::optional<listener_query> read_listener_query(rte_mbuf& frame);

// The host that has the groups: its addresses are the source of reports.
struct listener {
  wire::mac_address mac;
  wire::ipv6_address link_local;
};

// Tells that a listener has these groups, in as many packets as they need; none for which the pool has no memory.
[[nodiscard]] std::vector<rte_mbuf*> make_listener_reports(rte_mempool& pool, listener const& from,
                                                           listener_report form,
                                                           std::span<wire::ipv6_address const> groups);

}  // namespace packetwarp
