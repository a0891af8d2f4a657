// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "address/address_kind.h"
#include "burst/packet_view.h"
#include "routing/ip_packet.h"
#include "wire/big_endian.h"
#include "wire/ethernet.h"

// Queries of multicast listener discovery (RFC 2710, RFC 3810): a switch or a router asks which groups have listeners.
namespace packetwarp::routing {

// Bytes of ICMPv6 of a query: of version 1, and of version 2 without sources.
inline constexpr std::size_t listener_query_v1_length = 24;
inline constexpr std::size_t listener_query_v2_length = 28;

// The place of a query's ICMPv6 header in its frame; nothing for any other frame. Every query has a hop limit of 1, a
// link-local source and the router alert option (RFC 3810, 6.2), which is all of its hop-by-hop header. The checksum
// is not checked.
[[nodiscard]] inline std::optional<std::uint32_t> listener_query_at(packet_view packet) {
  constexpr std::uint32_t options_at = ip_at + wire::ipv6_view<std::byte>::header_length;
  constexpr std::uint32_t message_at = options_at + 8;
  constexpr std::uint32_t router_alert = 0x0502'0000;  // for listener discovery (RFC 2711)
  constexpr std::uint8_t listener_query = 130;
  if (packet.contiguous < message_at + listener_query_v1_length) return std::nullopt;
  if (wire::ethernet_view{packet.data}.type() != wire::ether_type::ipv6) return std::nullopt;
  auto const ip = ipv6_of(packet);
  if (ip.next_header() != wire::ip_protocol::hop_by_hop || ip.hop_limit() != 1) return std::nullopt;
  if (!is_link_local(ip.source())) return std::nullopt;
  auto const* const options = packet.data + options_at;
  auto const first_two = wire::load_be<std::uint16_t>(options);
  if (first_two != static_cast<unsigned>(wire::ip_protocol::icmpv6) << 8) return std::nullopt;
  // The option comes before or after two bytes of padding.
  bool const has_alert = wire::load_be<std::uint32_t>(options + 2) == router_alert ||
                         wire::load_be<std::uint32_t>(options + 4) == router_alert;
  bool const is_query = wire::load_be<std::uint8_t>(packet.data + message_at) == listener_query;
  return has_alert && is_query ? std::optional{message_at} : std::nullopt;
}

}  // namespace packetwarp::routing
