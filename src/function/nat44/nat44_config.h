// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash_key.h"
#include "base/host_device.h"
#include "function/nat44/session/session.h"
#include "wire/address.h"

namespace packetwarp {

namespace nat {

// Whether an inside host has one outside address, or gets more when the first has no port left (RFC 4787, REQ-2).
enum class pooling : std::uint8_t { paired, arbitrary };
// The hosts that may send to a session's outside endpoint (RFC 4787, 5). Mapping is endpoint-independent always
// (REQ-1).
enum class filtering : std::uint8_t { endpoint_independent, address_dependent, address_and_port_dependent };
// Whether packets from outside keep a UDP or ICMP session alive too (RFC 4787, REQ-6). Packets of TCP always do.
enum class refresh : std::uint8_t { outbound, both };
// The side of an interface: packets from an inside interface that leave by an outside interface are translated, and so
// are packets from an outside interface to an outside address.
enum class side : std::uint8_t { none, inside, outside };
// The packets that are translated where they leave by an outside interface. inside_to_outside: packets that came in by
// an inside interface. output_feature: all packets that leave by an outside interface and did not come to an outside
// address (VPP's feature of that name, which may be on all interfaces).
enum class feature : std::uint8_t { inside_to_outside, output_feature };
// The fate of packets from outside that belong to no session: dropped, or routed unchanged.
enum class unmatched : std::uint8_t { drop, forward };
// Whether packets make sessions. refused: a packet that needs a new session is dropped; existing sessions go on.
enum class new_sessions : std::uint8_t { made, refused };

// The hosts whose sessions may have an outside address's ports: all, or else the hosts whose packets leave by the
// interface of this number.
inline constexpr std::uint32_t any_egress = ~std::uint32_t{0};

// Seconds without a packet after which a session ends.
struct timeouts {
  std::uint32_t udp{300};               // RFC 4787, REQ-5: 2 minutes at least, 5 recommended
  std::uint32_t tcp_established{7440};  // RFC 5382, REQ-5: 2 hours 4 minutes at least
  std::uint32_t tcp_transitory{240};    // opening or closing; RFC 5382, REQ-5: 4 minutes at least
  std::uint32_t icmp{60};               // RFC 5508, REQ-2: 60 seconds at least
};

// The part of all ports whose sessions one of several GPUs has: every n-th block of 64 ports, both of inside endpoints
// and of outside ones. A session keeps its port if that is free (RFC 4787, 4.2.1), and gets another port of the same
// part otherwise, so that both directions of its packets belong to one GPU.
struct part {
  static constexpr std::uint32_t block = 64;  // ports; an even one and the odd one after it are in one block

  std::uint16_t number{0};
  std::uint16_t of{1};

  [[nodiscard]] HOST_DEVICE constexpr bool is_all() const { return of == 1; }
  // The part that has the port.
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t of_port(std::uint32_t port) const {
    return static_cast<std::uint16_t>(port / block % of);
  }
  [[nodiscard]] HOST_DEVICE constexpr bool has(std::uint32_t port) const { return is_all() || of_port(port) == number; }
};

}  // namespace nat

// The configuration of a NAT44, as passive data: nat44_table checks it. The defaults are the RFCs' requirements.
struct nat44_config {
  // Outside addresses that sessions get; the last one included. With an egress, only sessions that leave by this
  // interface get them.
  struct address_range {
    wire::ipv4_address first;
    wire::ipv4_address last;
    std::uint32_t egress{nat::any_egress};
  };
  std::vector<address_range> pool;
  // Ports of the pool that sessions get. A low port gets a low port only if they include it (RFC 4787, REQ-3).
  std::uint16_t first_port{1024};
  std::uint16_t last_port{65535};

  nat::pooling pooling{nat::pooling::paired};

  nat::filtering filtering{nat::filtering::endpoint_independent};
  std::uint32_t remotes{0};  // endpoints that sessions have sent to, for filters that ask; 0: as many as sessions

  nat::timeouts timeouts;
  nat::refresh refresh{nat::refresh::outbound};

  std::uint32_t sessions{65536};  // at the same time, 1 to 2^24 and those configured
  // Sessions that an inside address, and the inside addresses of a prefix, may have; 0: any number. A prefix has half
  // of an outside address's ports at most, unless its number is 0. by_default: the number of share_limits_of().
  static constexpr std::uint32_t by_default = ~std::uint32_t{0};
  std::uint32_t per_host{by_default};
  std::uint32_t per_prefix{by_default};
  std::uint32_t share_prefix{24};  // bits of such a prefix
  std::uint32_t hosts{0};          // inside addresses that can be counted; 0: a quarter of the sessions, 65536 at least

  // An inside endpoint that always has the same outside endpoint: a port forward.
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
  nat::new_sessions new_sessions{nat::new_sessions::made};  // nat44_table::refuse_new_sessions() changes it

  // Lines about sessions: one session in this many has its made and its ended logged. 0: none; 1: all.
  std::uint32_t log_one_in{0};
  // Room for addresses that may be added while the table is at work; 0: room for the given ones and some more. An
  // outside address takes 800 KiB of memory.
  std::uint32_t address_room{0};
  std::uint32_t static_room{0};
  std::uint32_t forward_room{0};

  // The key of the tables' hashes. None: a random key, drawn when the table is made. Tests set it, so that runs repeat.
  packetwarp::hash_key hash_key{};

  nat::part part{};  // of the ports whose sessions these tables have

  std::uint32_t journal{1U << 16};  // sessions made and ended that may wait to be read: a power of two
};

}  // namespace packetwarp
