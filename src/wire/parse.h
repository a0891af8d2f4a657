// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/arp.h"
#include "wire/icmp.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/ipv6_extension.h"
#include "wire/layers.h"
#include "wire/tcp.h"
#include "wire/udp.h"
#include "wire/vlan.h"

namespace packetwarp::wire {

namespace detail {

[[nodiscard]] HOST_DEVICE constexpr std::uint16_t to_offset(std::size_t bytes) noexcept {
  return static_cast<std::uint16_t>(bytes);
}

// A first fragment must hold its transport header (RFC 8200 4.5, RFC 1858); its UDP length is the whole datagram's.
HOST_DEVICE constexpr parse_error parse_udp(std::byte const* bytes, std::size_t available, layers& found) noexcept {
  if (available < udp_view<std::byte const>::header_length) return parse_error::udp_truncated;
  udp_view const udp{bytes};
  if (found.fragment == fragment_kind::whole) {
    if (!udp.check_length(std::size_t{found.end} - found.l4_offset)) return parse_error::udp_bad_length;
    found.end = to_offset(std::size_t{found.l4_offset} + udp.length());
  }
  found.payload_offset = to_offset(std::size_t{found.l4_offset} + udp.header_length);
  return parse_error::none;
}

HOST_DEVICE constexpr parse_error parse_tcp(std::byte const* bytes, std::size_t available, layers& found) noexcept {
  tcp_view const tcp{bytes};
  if (available < tcp.min_header_length) return parse_error::tcp_truncated;
  if (!tcp.check_length(available)) return parse_error::tcp_bad_data_offset;
  found.payload_offset = to_offset(found.l4_offset + tcp.header_length());
  return parse_error::none;
}

HOST_DEVICE constexpr parse_error parse_icmp(std::size_t available, layers& found) noexcept {
  using view = icmp_view<std::byte const>;
  if (!view::check_length(available)) return parse_error::icmp_truncated;
  found.payload_offset = to_offset(found.l4_offset + view::header_length);
  return parse_error::none;
}

// Parses the transport header at `offset`; `found` already has the protocol, the fragment and the end.
HOST_DEVICE constexpr parse_error parse_l4(std::byte const* packet, std::size_t offset, std::size_t readable,
                                           layers& found) noexcept {
  found.payload_offset = to_offset(offset);
  if (found.fragment == fragment_kind::later || found.protocol == ip_protocol::no_next_header) return parse_error::none;
  found.l4_offset = to_offset(offset);
  std::size_t const available = (found.end < readable ? found.end : readable) - offset;
  // ICMP over IPv6 and ICMPv6 over IPv4 have no meaning.
  if (found.protocol == ip_protocol::udp) {
    found.l4 = l4_kind::udp;
    return parse_udp(packet + offset, available, found);
  }
  if (found.protocol == ip_protocol::tcp) {
    found.l4 = l4_kind::tcp;
    return parse_tcp(packet + offset, available, found);
  }
  if (found.protocol == ip_protocol::icmp && found.l3 == l3_kind::ipv4) {
    found.l4 = l4_kind::icmp;
    return parse_icmp(available, found);
  }
  if (found.protocol == ip_protocol::icmpv6 && found.l3 == l3_kind::ipv6) {
    found.l4 = l4_kind::icmpv6;
    return parse_icmp(available, found);
  }
  found.l4 = l4_kind::other;
  return parse_error::none;
}

HOST_DEVICE constexpr parse_error parse_ipv4(std::byte const* packet, std::size_t readable, std::size_t length,
                                             layers& found) noexcept {
  std::size_t const available = readable - found.l3_offset;
  ipv4_view const ip{packet + found.l3_offset};
  found.l3 = l3_kind::ipv4;
  if (available < ip.min_header_length) return parse_error::ipv4_truncated;
  if (ip.version() != 4) return parse_error::ipv4_bad_version;
  if (ip.header_length() < ip.min_header_length || ip.header_length() > available) {
    return parse_error::ipv4_bad_header_length;
  }
  if (ip.total_length() < ip.header_length()) return parse_error::ipv4_bad_total_length;
  if (ip.total_length() > length - found.l3_offset) return parse_error::ipv4_longer_than_frame;
  found.end = to_offset(std::size_t{found.l3_offset} + ip.total_length());
  found.protocol = ip.protocol();
  found.fragment_offset = to_offset(ip.fragment_offset());
  found.fragment = !ip.is_fragment()           ? fragment_kind::whole
                   : ip.fragment_offset() == 0 ? fragment_kind::first
                                               : fragment_kind::later;
  return parse_l4(packet, found.l3_offset + ip.header_length(), readable, found);
}

HOST_DEVICE constexpr parse_error parse_ipv6(std::byte const* packet, std::size_t readable, std::size_t length,
                                             layers& found) noexcept {
  std::size_t const available = readable - found.l3_offset;
  ipv6_view const ip{packet + found.l3_offset};
  found.l3 = l3_kind::ipv6;
  if (available < ip.header_length) return parse_error::ipv6_truncated;
  if (ip.version() != 6) return parse_error::ipv6_bad_version;
  if (!ip.check_length(length - found.l3_offset)) return parse_error::ipv6_longer_than_frame;
  std::size_t const behind = found.l3_offset + ip.header_length;
  found.end = to_offset(behind + ip.payload_length());
  std::size_t const walkable = ip.payload_length() < readable - behind ? ip.payload_length() : readable - behind;
  ipv6_walk const walk = walk_ipv6_extensions(ip.payload(), walkable, ip.next_header());
  found.protocol = walk.protocol;
  found.fragment_offset = to_offset(walk.fragment_offset);
  // A fragment header with offset 0 and no more fragments to come is a whole packet: an atomic fragment (RFC 6946).
  found.fragment = walk.fragment_offset != 0  ? fragment_kind::later
                   : walk.more_fragments != 0 ? fragment_kind::first
                                              : fragment_kind::whole;
  if (walk.ended == ipv6_walk::outcome::truncated) return parse_error::ipv6_extension_truncated;
  if (walk.ended == ipv6_walk::outcome::too_many) return parse_error::ipv6_too_many_extensions;
  return parse_l4(packet, behind + walk.offset, readable, found);
}

// Skips VLAN tags; afterwards l3_offset and type describe the data after them.
HOST_DEVICE constexpr parse_error parse_vlan_tags(std::byte const* packet, std::size_t length, layers& found) noexcept {
  while (is_vlan_tag(found.type)) {
    vlan_view const tag{packet + found.l3_offset};
    if (found.vlan_count == max_vlan_tags) return parse_error::too_many_vlan_tags;
    if (!tag.check_length(length - found.l3_offset)) return parse_error::vlan_truncated;
    if (found.vlan_count == 0) found.vlan_control = tag.control();
    ++found.vlan_count;
    found.type = tag.type();
    found.l3_offset = to_offset(found.l3_offset + tag.header_length);
  }
  return parse_error::none;
}

HOST_DEVICE constexpr parse_error parse_l3(std::byte const* packet, std::size_t readable, std::size_t length,
                                           layers& found) noexcept {
  switch (found.type) {
    case ether_type::ipv4:
      return parse_ipv4(packet, readable, length, found);
    case ether_type::ipv6:
      return parse_ipv6(packet, readable, length, found);
    case ether_type::arp: {
      using view = arp_view<std::byte const>;
      found.l3 = l3_kind::arp;
      if (!view::check_length(readable - found.l3_offset)) return parse_error::arp_truncated;
      found.end = found.payload_offset = to_offset(found.l3_offset + view::header_length);
      return parse_error::none;
    }
    default:
      return parse_error::none;
  }
}

}  // namespace detail

// Parses the headers of a packet that starts with its Ethernet header. Its first `readable` bytes lie in one piece, and
// must include the headers: a header that they do not include is truncated. Reads nothing beyond, takes a bounded
// number of steps, and does not check checksums. A header that `layers` describes passes its view's check_length with
// the rest of `length`, the whole packet's, with one exception: the UDP length of a first fragment. Bytes beyond 65535
// are ignored.
[[nodiscard]] HOST_DEVICE constexpr layers parse(std::byte const* packet, std::size_t readable,
                                                 std::size_t length) noexcept {
  layers found;
  if (length > 0xffff) length = 0xffff;
  if (readable > length) readable = length;
  ethernet_view const ethernet{packet};
  found.end = detail::to_offset(length);
  if (!ethernet.check_length(readable)) {
    found.error = parse_error::ethernet_truncated;
    return found;
  }
  found.type = ethernet.type();
  found.l3_offset = detail::to_offset(ethernet.header_length);
  found.error = detail::parse_vlan_tags(packet, readable, found);
  found.payload_offset = found.l3_offset;
  if (found.error == parse_error::none) found.error = detail::parse_l3(packet, readable, length, found);
  return found;
}

// For a packet that lies in one piece.
[[nodiscard]] HOST_DEVICE constexpr layers parse(std::byte const* packet, std::size_t length) noexcept {
  return parse(packet, length, length);
}

}  // namespace packetwarp::wire
