// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "function/record/record_ring.h"
#include "wire/address.h"

namespace packetwarp::inspection_parts {

namespace alert_flag {
inline constexpr std::uint8_t second_set = 1;  // position of the rules in inspection_root::sets
inline constexpr std::uint8_t has_ports = 2;
inline constexpr std::uint8_t has_icmp = 4;
inline constexpr std::uint8_t has_flow = 8;
inline constexpr std::uint8_t to_server = 16;
inline constexpr std::uint8_t blocked = 32;  // the rule drops or rejects the packet
}  // namespace alert_flag

// A rule that matched a packet.
struct alert {
  wire::ipv6_address source;  // of IPv4: the number in `low`
  wire::ipv6_address destination;
  std::uint64_t flow;  // key; 0: none
  std::uint32_t rule;  // number in rule_set::rules
  std::uint16_t source_port;
  std::uint16_t destination_port;
  std::uint8_t ip_version;
  std::uint8_t protocol;  // of the IP header
  std::uint8_t flags;     // alert_flag
  std::uint8_t icmp_type;
  std::uint32_t icmp_code : 8;
  std::uint32_t packet : 24;  // the number of its first packet_slot, plus one; 0: it has none
};

using alert_ref = record_ring_ref<alert>;
static_assert(sizeof(ring_record<alert>) == 64 && std::is_trivially_copyable_v<ring_record<alert>>);
static_assert(std::is_trivially_copyable_v<alert_ref>);

}  // namespace packetwarp::inspection_parts
