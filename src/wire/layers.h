// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "wire/ethernet.h"
#include "wire/ip_protocol.h"

namespace packetwarp::wire {

// The first error in a packet, from the outside in. The layers outside it are described in full.
enum class parse_error : std::uint8_t {
  none,
  ethernet_truncated,
  vlan_truncated,
  too_many_vlan_tags,
  arp_truncated,
  ipv4_truncated,
  ipv4_bad_version,
  ipv4_bad_header_length,  // less than 20 bytes, or more than the frame holds
  ipv4_bad_total_length,   // less than the header
  ipv4_longer_than_frame,  // total length beyond the frame's end
  ipv6_truncated,
  ipv6_bad_version,
  ipv6_longer_than_frame,    // payload length beyond the frame's end
  ipv6_extension_truncated,  // beyond the IPv6 payload's end
  ipv6_too_many_extensions,
  udp_truncated,
  udp_bad_length,  // less than the header, or more than the IP payload holds
  tcp_truncated,
  tcp_bad_data_offset,  // less than 20 bytes, or more than the IP payload holds
  icmp_truncated
};

enum class l3_kind : std::uint8_t { none, arp, ipv4, ipv6 };
enum class l4_kind : std::uint8_t { none, udp, tcp, icmp, icmpv6, other };
enum class fragment_kind : std::uint8_t { whole, first, later };

// VLAN tags that one frame may carry: the two of 802.1ad, and as many again for carriers that stack them.
inline constexpr unsigned max_vlan_tags = 4;

// The places of one packet's headers. Offsets are bytes from the Ethernet header's first byte; 0 means "not present".
struct layers {
  std::uint16_t l3_offset{};       // after Ethernet and VLAN tags, also if the type is unknown
  std::uint16_t l4_offset{};       // 0 in later fragments, which carry no transport header
  std::uint16_t payload_offset{};  // after the last header that was parsed
  std::uint16_t end{};  // where the innermost length field ends the packet: the padding of short frames lies beyond
  std::uint16_t fragment_offset{};  // bytes of the datagram before this fragment
  std::uint16_t vlan_control{};     // the outermost tag's priority, drop-eligible bit and identifier
  ether_type type{};                // of the header at l3_offset
  std::uint8_t vlan_count{};
  l3_kind l3{};
  l4_kind l4{};
  ip_protocol protocol{};  // valid if l3 is ipv4 or ipv6; the last next-header value of IPv6
  fragment_kind fragment{};
  parse_error error{};

  friend constexpr bool operator==(layers const&, layers const&) = default;
};
static_assert(sizeof(layers) == 20 && std::is_trivially_copyable_v<layers>);

}  // namespace packetwarp::wire
