// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "wire/parse.h"

namespace packetwarp::feature {

enum class transport : std::uint8_t { none, tcp, udp, icmp, other };
// The part that an ICMP message plays.
enum class icmp_role : std::uint8_t { none, request, error };

// The facts of one packet that features are made of. A header that is cut off or malformed gives no facts but the
// transport's kind: a host drops such a packet, so its ports and flags mean nothing.
struct packet_facts {
  wire::ipv6_address source{};  // of IPv4: the number in `low`
  wire::ipv6_address destination{};
  std::uint32_t length{};   // bytes of the frame, without FCS
  std::uint16_t payload{};  // bytes after the last sound header, as the headers count them
  std::uint16_t source_port{};
  std::uint16_t destination_port{};
  std::uint16_t window{};
  std::uint8_t ip_version{};  // 4, 6; 0: no sound IP header, and then only `length` is set
  std::uint8_t protocol{};    // the number after the IP header and its extensions
  transport kind{};           // by the protocol's number, in later fragments, too
  std::uint8_t tcp_flags{};
  std::uint8_t tcp_options{};  // bytes
  icmp_role role{};
  std::uint8_t has_ports{};    // 1: a sound header of TCP or UDP
  std::uint8_t is_fragment{};  // 1: a part of a datagram
};
static_assert(std::is_trivially_copyable_v<packet_facts>);

// Whether the packet asks its receiver for something, by its own header: TCP without ACK and RST, UDP that is not for a
// higher port than its own, an ICMP echo request, or any other protocol. Answers do not ask, so that a busy server is
// not taken for a scanner.
[[nodiscard]] HOST_DEVICE constexpr bool asks(packet_facts const& facts) noexcept {
  switch (facts.kind) {
    case transport::tcp:
      return facts.has_ports != 0 && (facts.tcp_flags & (wire::tcp_flag::ack | wire::tcp_flag::rst)) == 0;
    case transport::udp:
      return facts.has_ports != 0 && facts.destination_port <= facts.source_port;
    case transport::icmp:
      return facts.role == icmp_role::request;
    case transport::other:
      return true;
    default:
      return false;
  }
}

// Whether the packet asks for a TCP connection.
[[nodiscard]] HOST_DEVICE constexpr bool asks_for_connection(packet_facts const& facts) noexcept {
  return (facts.tcp_flags & wire::tcp_flag::syn) != 0 && (facts.tcp_flags & wire::tcp_flag::ack) == 0;
}

namespace detail {

[[nodiscard]] HOST_DEVICE constexpr bool has_ip_header(wire::layers const& found) noexcept {
  using enum wire::parse_error;
  switch (found.error) {
    case ethernet_truncated:
    case vlan_truncated:
    case too_many_vlan_tags:
    case ipv4_truncated:
    case ipv4_bad_version:
    case ipv4_bad_header_length:
    case ipv4_bad_total_length:
    case ipv4_longer_than_frame:
    case ipv6_truncated:
    case ipv6_bad_version:
    case ipv6_longer_than_frame:
      return false;
    default:
      return found.l3 == wire::l3_kind::ipv4 || found.l3 == wire::l3_kind::ipv6;
  }
}

[[nodiscard]] HOST_DEVICE constexpr transport transport_of(wire::layers const& found) noexcept {
  if (found.protocol == wire::ip_protocol::tcp) return transport::tcp;
  if (found.protocol == wire::ip_protocol::udp) return transport::udp;
  bool const is_ipv4 = found.l3 == wire::l3_kind::ipv4;
  auto const icmp = is_ipv4 ? wire::ip_protocol::icmp : wire::ip_protocol::icmpv6;
  return found.protocol == icmp ? transport::icmp : transport::other;
}

[[nodiscard]] HOST_DEVICE constexpr icmp_role role_of(wire::icmp_view<std::byte const> message,
                                                      wire::l4_kind kind) noexcept {
  if (kind == wire::l4_kind::icmpv6) {
    if (message.type_v6() == wire::icmpv6_type::echo_request) return icmp_role::request;
    // RFC 4443, 2.1: errors are below 128; the four that it defines.
    return message.type_number() >= 1 && message.type_number() <= 4 ? icmp_role::error : icmp_role::none;
  }
  switch (message.type()) {
    case wire::icmp_type::echo_request:
      return icmp_role::request;
    case wire::icmp_type::destination_unreachable:
    case wire::icmp_type::time_exceeded:
    case wire::icmp_type::parameter_problem:
      return icmp_role::error;
    default:
      return icmp_role::none;
  }
}

HOST_DEVICE constexpr void read_transport(std::byte const* header, wire::l4_kind kind, packet_facts& facts) noexcept {
  if (kind == wire::l4_kind::tcp) {
    wire::tcp_view const tcp{header};
    facts.has_ports = 1;
    facts.source_port = tcp.source_port();
    facts.destination_port = tcp.destination_port();
    facts.window = tcp.window();
    facts.tcp_flags = tcp.flags();
    facts.tcp_options = static_cast<std::uint8_t>(tcp.header_length() - tcp.min_header_length);
  } else if (kind == wire::l4_kind::udp) {
    wire::udp_view const udp{header};
    facts.has_ports = 1;
    facts.source_port = udp.source_port();
    facts.destination_port = udp.destination_port();
  } else if (kind == wire::l4_kind::icmp || kind == wire::l4_kind::icmpv6) {
    facts.role = role_of(wire::icmp_view{header}, kind);
  }
}

}  // namespace detail

// The facts of a frame whose headers wire::parse() has found. length: of the whole frame.
[[nodiscard]] HOST_DEVICE constexpr packet_facts facts_of(std::byte const* bytes, wire::layers const& found,
                                                          std::uint32_t length) noexcept {
  packet_facts facts{.length = length};
  if (!detail::has_ip_header(found)) return facts;
  std::byte const* const header = bytes + found.l3_offset;
  if (found.l3 == wire::l3_kind::ipv4) {
    wire::ipv4_view const ip{header};
    facts.ip_version = 4;
    facts.source.low = ip.source().number;
    facts.destination.low = ip.destination().number;
  } else {
    wire::ipv6_view const ip{header};
    facts.ip_version = 6;
    facts.source = ip.source();
    facts.destination = ip.destination();
  }
  facts.protocol = static_cast<std::uint8_t>(found.protocol);
  facts.kind = detail::transport_of(found);
  facts.is_fragment = found.fragment == wire::fragment_kind::whole ? 0 : 1;
  if (found.error != wire::parse_error::none) return facts;
  facts.payload = static_cast<std::uint16_t>(found.end - found.payload_offset);
  if (found.l4_offset != 0) detail::read_transport(bytes + found.l4_offset, found.l4, facts);
  return facts;
}
// Reads the headers in the first `contiguous` of the frame's bytes, and nothing beyond.
[[nodiscard]] HOST_DEVICE constexpr packet_facts facts_of(std::byte const* bytes, std::uint32_t contiguous,
                                                          std::uint32_t length) noexcept {
  return facts_of(bytes, wire::parse(bytes, contiguous, length), length);
}
[[nodiscard]] HOST_DEVICE constexpr packet_facts facts_of(packet_view const& packet) noexcept {
  return facts_of(packet.data, packet.contiguous, packet.length);
}

}  // namespace packetwarp::feature
