// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/hook.h"
#include "wire/answer.h"
#include "wire/checksum.h"
#include "wire/ethernet.h"
#include "wire/parse.h"

namespace packetwarp::inspection_parts {

namespace detail {

inline constexpr std::uint16_t reset_length = 20;

// Swaps the addresses and makes the IP packet end after a TCP header without options. The bytes after it stay in the
// frame, as padding does. Returns the sum of the pseudo header.
HOST_DEVICE inline wire::internet_sum shorten(std::byte* ip_bytes, wire::layers const& found) {
  constexpr std::uint8_t hops = 64;
  constexpr std::uint16_t dont_fragment = 0x4000;  // the identification is the other host's (RFC 6864, 4.1)
  auto const headers = static_cast<std::uint16_t>(found.l4_offset - found.l3_offset);
  if (found.l3 == wire::l3_kind::ipv4) {
    wire::ipv4_view const ip{ip_bytes};
    wire::detail::swap_addresses(ip);
    ip.set_total_length(static_cast<std::uint16_t>(headers + reset_length));
    ip.set_fragment_word(dont_fragment);
    ip.set_ttl(hops);
    ip.set_checksum(0);
    ip.set_checksum(wire::internet_sum{}.add(ip_bytes, ip.header_length()).checksum());
    return wire::pseudo_header_sum(ip.source(), ip.destination(), wire::ip_protocol::tcp, reset_length);
  }
  wire::ipv6_view const ip{ip_bytes};
  wire::detail::swap_addresses(ip);
  ip.set_payload_length(static_cast<std::uint16_t>(headers - ip.header_length + reset_length));
  ip.set_hop_limit(hops);
  return wire::pseudo_header_sum(ip.source(), ip.destination(), wire::ip_protocol::tcp, reset_length);
}

}  // namespace detail

// Makes a sound TCP segment between hosts the RST that its sender gets for it (RFC 9293, 3.10.7.1).
HOST_DEVICE inline void make_reset(std::byte* packet, wire::layers const& found) {
  using namespace wire;
  tcp_view const tcp{packet + found.l4_offset};
  std::uint8_t const flags = tcp.flags();
  bool const has_ack = (flags & tcp_flag::ack) != 0;
  auto const length = static_cast<std::uint32_t>(found.end - found.payload_offset) +
                      ((flags & tcp_flag::syn) != 0 ? 1U : 0U) + ((flags & tcp_flag::fin) != 0 ? 1U : 0U);
  auto const end = tcp.sequence() + length;
  auto const source_port = tcp.source_port();
  ethernet_view{packet}.swap_addresses();
  auto sum = detail::shorten(packet + found.l3_offset, found);
  tcp.set_source_port(tcp.destination_port());
  tcp.set_destination_port(source_port);
  tcp.set_sequence(has_ack ? tcp.acknowledgment() : 0);
  tcp.set_acknowledgment(has_ack ? 0 : end);
  tcp.set_header_length(detail::reset_length);
  tcp.set_flags(has_ack ? tcp_flag::rst : static_cast<std::uint8_t>(tcp_flag::rst | tcp_flag::ack));
  tcp.set_window(0);
  constexpr std::size_t urgent_at = 18;
  store_be<std::uint16_t>(packet + found.l4_offset + urgent_at, 0);
  tcp.set_checksum(0);
  tcp.set_checksum(sum.add(packet + found.l4_offset, detail::reset_length).checksum());
}

// Rejects a packet: a TCP segment goes back as an RST to its sender by the port that it came in by; the control plane
// answers others by ICMP, within its limits. `unanswerable`: the drop reason of packets that must not be answered.
[[nodiscard]] HOST_DEVICE inline verdict reject(packet_view packet, std::uint16_t ingress, drop_reason unanswerable) {
  auto const found = wire::parse(packet.data, packet.contiguous, packet.length);
  auto const why = wire::why_unanswerable(packet.data, found);
  if (found.protocol != wire::ip_protocol::tcp) {
    // The answer to a packet of an answering machine is no answer itself.
    bool const may_be = why == wire::unanswerable::none || why == wire::unanswerable::answer;
    return may_be ? verdict::punt(punt_reason::unreachable) : verdict::drop(unanswerable);
  }
  if (why != wire::unanswerable::none || found.l4 != wire::l4_kind::tcp) return verdict::drop(unanswerable);
  if ((wire::tcp_view{packet.data + found.l4_offset}.flags() & wire::tcp_flag::rst) != 0) {
    return verdict::drop(unanswerable);
  }
  make_reset(packet.data, found);
  return verdict::forward(static_cast<egress_index>(ingress));
}

}  // namespace packetwarp::inspection_parts
