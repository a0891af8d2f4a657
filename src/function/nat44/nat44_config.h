// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "function/nat44/container/hash_key.h"
#include "function/nat44/session/session.h"
#include "wire/address.h"

namespace packetwarp {

namespace nat {

// Whether an inside host has one outside address, or more where the first has no port left (RFC 4787, REQ-2).
enum class pooling : std::uint8_t { paired, arbitrary };
// Who may send to a session's outside endpoint (RFC 4787, 5). Mapping is endpoint-independent always (REQ-1).
enum class filtering : std::uint8_t { endpoint_independent, address_dependent, address_and_port_dependent };
// Whether packets from outside keep a UDP or ICMP session alive too (RFC 4787, REQ-6). Those of TCP always do.
enum class refresh : std::uint8_t { outbound, both };
// What an interface is: packets from inside that leave by an outside interface are translated, and those from outside
// to an outside address.
enum class side : std::uint8_t { none, inside, outside };
// What is translated where it leaves by an outside interface. inside_to_outside: what came in by an inside interface.
// output_feature: whatever leaves there, and did not come to an outside address (VPP's, which may be on all
// interfaces).
enum class feature : std::uint8_t { inside_to_outside, output_feature };
// What becomes of packets from outside that belong to no session: they are dropped, or routed as they are.
enum class unmatched : std::uint8_t { drop, forward };

// Of an outside address: whose sessions may have its ports. Else the number of the interface that they leave by.
inline constexpr std::uint32_t any_egress = ~std::uint32_t{0};

// Seconds without a packet after which a session ends.
struct timeouts {
  std::uint32_t udp{300};               // RFC 4787, REQ-5: 2 minutes at least, 5 recommended
  std::uint32_t tcp_established{7440};  // RFC 5382, REQ-5: 2 hours 4 minutes at least
  std::uint32_t tcp_transitory{240};    // opening or closing; RFC 5382, REQ-5: 4 minutes at least
  std::uint32_t icmp{60};               // RFC 5508, REQ-2: 60 seconds at least
};

}  // namespace nat

// What a NAT44 is to be, as passive data: nat44_table checks it. The defaults are what the RFCs ask for.
struct nat44_config {
  // Addresses that packets leave with; the last one included. With an egress only those that leave by that interface.
  struct address_range {
    wire::ipv4_address first;
    wire::ipv4_address last;
    std::uint32_t egress{nat::any_egress};
  };
  std::vector<address_range> pool;
  // Ports of the pool that sessions get. A port below stays below only if it is among them (RFC 4787, REQ-3).
  std::uint16_t first_port{1024};
  std::uint16_t last_port{65535};

  nat::pooling pooling{nat::pooling::paired};

  nat::filtering filtering{nat::filtering::endpoint_independent};
  std::uint32_t remotes{0};  // endpoints that sessions have sent to, for filters that ask; 0: as many as sessions

  nat::timeouts timeouts;
  nat::refresh refresh{nat::refresh::outbound};

  std::uint32_t sessions{65536};  // at the same time, 1 to 2^24 and those configured
  // Sessions that an inside address, and the inside addresses of a prefix, may have; 0: any number. A prefix has half
  // of an outside address's ports at most, unless its number is 0. by_default: as share_limits_of() says.
  static constexpr std::uint32_t by_default = ~std::uint32_t{0};
  std::uint32_t per_host{by_default};
  std::uint32_t per_prefix{by_default};
  std::uint32_t share_prefix{24};  // bits of such a prefix
  std::uint32_t hosts{0};          // inside addresses that can be counted; 0: a quarter of the sessions, 65536 at least

  // An inside endpoint that has an outside one always: a port forward.
  struct port_forward {
    nat::transport kind{};
    nat::endpoint inside;
    nat::endpoint outside;
  };
  std::vector<port_forward> port_forwards;
  // An inside address that has an outside address of its own, with all its ports and protocols. Not one of the pool.
  struct static_address {
    wire::ipv4_address inside;
    wire::ipv4_address outside;
  };
  std::vector<static_address> static_addresses;

  std::vector<nat::side> interfaces;  // in the order of the router's
  nat::feature feature{nat::feature::inside_to_outside};
  nat::unmatched unmatched{nat::unmatched::drop};

  // Lines about sessions: one of so many of them has its made and its ended logged. 0: none; 1: all.
  std::uint32_t log_one_in{0};
  // Room for what may be added while the table is at work; 0: for what is given here, and some. An outside address
  // takes 800 KiB of memory.
  std::uint32_t address_room{0};
  std::uint32_t static_room{0};
  std::uint32_t forward_room{0};

  // Of the tables' hashes. None: a random one, drawn when the table is made. Given by tests, which see the same again.
  nat::hash_key hash_key{};

  std::uint32_t journal{1U << 16};  // sessions made and ended that may wait to be read: a power of two
};

}  // namespace packetwarp
