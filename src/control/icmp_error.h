// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "address/ip_address.h"
#include "control/action.h"

namespace packetwarp {

// The content of an ICMP error (RFC 792, RFC 4443).
enum class icmp_error : std::uint8_t {
  time_exceeded,     // in transit
  no_route,          // network unreachable, code 0, also of ICMPv6
  host_unreachable,  // its MAC address was asked for without an answer: code 1, of ICMPv6 code 3
  too_big            // fragmentation needed, code 4, with the next hop's MTU (RFC 1191); of ICMPv6 packet too big
};

inline constexpr std::size_t icmp_error_kinds = 4;

// Whether an ICMP error may be sent about an IPv4 or IPv6 packet that has an Ethernet header (RFC 1812, 4.3.2.7; RFC
// 4443, 2.4 e): not about ICMP errors, fragments except the first, or packets to or from more than one host.
[[nodiscard]] bool may_answer_by_icmp(rte_mbuf& about, icmp_error what);

// The ICMP error itself, an IP packet with room for its Ethernet header, from `source` to the sender of `about`;
// nullptr if the pool is empty. It quotes `about` as far as 576 bytes allow (RFC 1812, 4.3.2.3), for IPv6 1280. mtu:
// for too_big only. `about` passes may_answer_by_icmp, and `source` is of its IP version. identification: of an IPv4
// packet, another one each time (RFC 6864, 4.3), since routers may fragment it, as they may Linux's ICMP errors.
[[nodiscard]] rte_mbuf* make_icmp_error(rte_mempool& pool, rte_mbuf& about, icmp_error what, ip_address const& source,
                                        std::uint16_t mtu, std::uint16_t identification);

// Allows a number per second on average, and a number at once (RFC 1812, 4.3.2.8; RFC 4443, 2.4 f).
class token_bucket {
 public:
  token_bucket(std::uint32_t per_second, std::uint32_t at_once)
      : per_second_{per_second}, most_{std::uint64_t{at_once} * one}, left_{most_} {}

  // Whether another error is allowed now; if so its token is taken.
  [[nodiscard]] bool take(control_time now);

 private:
  static constexpr std::uint64_t one = 1'000'000'000;  // a token: each nanosecond adds `per_second_`

  std::uint64_t per_second_;
  std::uint64_t most_;
  std::uint64_t left_;
  control_time last_{};
};

}  // namespace packetwarp
