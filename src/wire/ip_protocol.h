// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp::wire {

// The protocol after an IPv4 header or an IPv6 (extension) header (IANA protocol numbers). Other values occur.
enum class ip_protocol : std::uint8_t {
  hop_by_hop = 0,  // IPv6 extension header, RFC 8200 4.3
  icmp = 1,
  ipv4 = 4,  // IPv4 encapsulated
  tcp = 6,
  udp = 17,
  dccp = 33,      // RFC 4340
  ipv6 = 41,      // IPv6 encapsulated
  routing = 43,   // IPv6 extension header, RFC 8200 4.4
  fragment = 44,  // IPv6 extension header, RFC 8200 4.5
  gre = 47,
  esp = 50,
  ah = 51,
  icmpv6 = 58,
  no_next_header = 59,       // RFC 8200 4.7
  destination_options = 60,  // IPv6 extension header, RFC 8200 4.6
  sctp = 132,
  udp_lite = 136  // RFC 3828
};

}  // namespace packetwarp::wire
