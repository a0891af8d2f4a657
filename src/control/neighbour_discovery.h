// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <cstdint>
#include <optional>

#include "wire/address.h"

namespace packetwarp {

// The content of a message of IPv6 neighbour discovery (RFC 4861, 4.3 and 4.4).
struct discovery_message {
  enum class kind : std::uint8_t { solicitation, advertisement, other };
  enum class claim : std::uint8_t { keep, overrides };  // whether an advertisement replaces the known address
  enum class cause : std::uint8_t { own, solicited };   // whether an advertisement answers a solicitation
  kind what{};
  claim says{claim::keep};
  cause why{cause::own};
  wire::ipv6_address source;  // unspecified for a host that checks whether its address is taken
  wire::ipv6_address target;
  std::optional<wire::mac_address> mac;  // the source's link-layer address; in an advertisement, the target's
};

// Reads a message that passes the checks of RFC 4861, 7.1; nothing if it does not. Other messages (of routers,
// redirects) give only the kind.
[[nodiscard]] std::optional<discovery_message> read_discovery(rte_mbuf& frame);

// Asks for the target's MAC address: all hosts that may have it, or the host that had it last. nullptr if the pool is
// empty, here and below.
[[nodiscard]] rte_mbuf* make_solicitation(rte_mempool& pool, wire::mac_address const& own, wire::ipv6_address source,
                                          wire::ipv6_address target, std::optional<wire::mac_address> last_known);

// Answers a solicitation for an own address; if the solicitation has no source, the answer goes to all nodes (7.2.4),
// as an announcement without a solicitation does (7.2.6). For an anycast address, `says` is claim::keep: an asker keeps
// the answer of the router that came first.
[[nodiscard]] rte_mbuf* make_advertisement(rte_mempool& pool, wire::mac_address const& own,
                                           discovery_message const& asked, wire::mac_address const& asker,
                                           discovery_message::claim says);

}  // namespace packetwarp
