// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "function/rules/rules_layout.h"
#include "wire/parse.h"

namespace packetwarp {

// A packet as rules see it: the offsets of its headers, and the facts that hold. A malformed or cut header counts as
// missing, and so do the headers after it: after a wrong IPv6 extension header the IPv6 header still counts.
struct rules_packet {
  packet_view view;
  std::uint32_t facts{};
  std::uint16_t at[rules_headers]{};
  int pushed{};  // bytes that the packet has become longer at its front

  HOST_DEVICE explicit rules_packet(packet_view packet) noexcept : view{packet} { look(); }

  [[nodiscard]] HOST_DEVICE std::byte* header(rules_header which) const noexcept {
    return view.data + at[static_cast<unsigned>(which)];
  }
  [[nodiscard]] HOST_DEVICE bool has(std::uint32_t fact) const noexcept { return (facts & fact) != 0; }
  [[nodiscard]] HOST_DEVICE std::uint32_t masked(rules_word word) const noexcept {
    return wire::load_be<std::uint32_t>(header(word.header) + word.offset) & word.mask;
  }

  // A plain packet: a whole IPv4 packet without tags and options, with UDP or TCP, that is sound. The result is its
  // facts; 0: it is not known to be plain. The headers whose words are looked up lie at the same offsets in all plain
  // packets.
  static constexpr std::uint16_t plain_l3_at = 14;
  static constexpr std::uint16_t plain_l4_at = plain_l3_at + 20;
  // The bytes that every plain packet has.
  static constexpr std::uint32_t plain_bytes = plain_l4_at + 8;
  // Whether a packet is plain apart from lengths and sums, which may be wrong: if it matches a rule, a plain packet
  // could too, because a fault in a header only takes facts away.
  [[nodiscard]] HOST_DEVICE static bool looks_plain(packet_view view) noexcept {
    if (view.contiguous < plain_bytes) return false;
    auto const type_and_version = wire::load_be<std::uint32_t>(view.data + plain_l3_at - 2) & 0xffff'ff00U;
    auto const fragment_and_protocol = wire::load_be<std::uint32_t>(view.data + plain_l3_at + 6) & 0x3fff'00ffU;
    if (type_and_version != 0x0800'4500U) return false;
    return fragment_and_protocol == static_cast<std::uint32_t>(wire::ip_protocol::udp) ||
           fragment_and_protocol == static_cast<std::uint32_t>(wire::ip_protocol::tcp);
  }
  // Tells the compiler that the packet looks plain: the code that works on it next need not test again.
  HOST_DEVICE static void assume_looks_plain(packet_view view) noexcept {
    if (wire::ethernet_view{view.data}.type() != wire::ether_type::ipv4) __builtin_unreachable();
    if (wire::load_be<std::uint8_t>(view.data + plain_l3_at) != 0x45) __builtin_unreachable();
    if (view.contiguous < plain_bytes) __builtin_unreachable();
  }
  [[nodiscard]] HOST_DEVICE static std::uint32_t plain_facts(packet_view view) noexcept {
    using ipv4 = wire::ipv4_view<std::byte const>;
    if (view.contiguous < plain_bytes) return 0;
    if (wire::ethernet_view{view.data}.type() != wire::ether_type::ipv4) return 0;
    ipv4 const ip{view.data + plain_l3_at};
    std::uint32_t const length = ip.total_length();
    if (wire::load_be<std::uint8_t>(view.data + plain_l3_at) != 0x45 || ip.is_fragment()) return 0;
    if (length < ipv4::min_header_length || length > view.length - plain_l3_at) return 0;
    auto const payload = length - static_cast<std::uint32_t>(ipv4::min_header_length);
    auto const readable = view.contiguous - plain_l4_at;
    auto const l4 = fact_of(ip.protocol(), view.data + plain_l4_at, payload, payload < readable ? payload : readable);
    return l4 == 0 ? 0 : rules_fact::ipv4 | l4;
  }

  // The packet now starts `bytes` earlier, or later if negative.
  HOST_DEVICE void move_front(int bytes) noexcept {
    pushed += bytes;
    view.data -= bytes;
    view.contiguous = static_cast<std::uint32_t>(static_cast<int>(view.contiguous) + bytes);
    view.length = static_cast<std::uint32_t>(static_cast<int>(view.length) + bytes);
    look();
  }

 private:
  HOST_DEVICE void look() noexcept {
    if (!look_at_plain()) look_at_any();
  }

  [[nodiscard]] HOST_DEVICE bool look_at_plain() noexcept {
    facts = plain_facts(view);
    at[static_cast<unsigned>(rules_header::l3)] = plain_l3_at;
    at[static_cast<unsigned>(rules_header::l4)] = plain_l4_at;
    return facts != 0;
  }
  // The fact of a transport header that wire::parse() finds sound; 0 if parse() has to check it. available: readable
  // bytes of payload.
  [[nodiscard]] HOST_DEVICE static std::uint32_t fact_of(wire::ip_protocol protocol, std::byte const* l4,
                                                         std::uint32_t payload, std::uint32_t available) noexcept {
    using udp = wire::udp_view<std::byte const>;
    using tcp = wire::tcp_view<std::byte const>;
    if (protocol == wire::ip_protocol::udp && available >= udp::header_length)
      return udp{l4}.check_length(payload) ? rules_fact::udp : 0;
    if (protocol == wire::ip_protocol::tcp && available >= tcp::min_header_length)
      return tcp{l4}.check_length(available) ? rules_fact::tcp : 0;
    return 0;
  }

  HOST_DEVICE void look_at_any() noexcept {
    auto const found = wire::parse(view.data, view.contiguous, view.length);
    facts = 0;
    at[static_cast<unsigned>(rules_header::vlan)] = plain_l3_at;
    at[static_cast<unsigned>(rules_header::inner_vlan)] = plain_l3_at + 4;
    at[static_cast<unsigned>(rules_header::l3)] = found.l3_offset;
    at[static_cast<unsigned>(rules_header::l4)] = found.l4_offset;
    if (found.vlan_count >= 1) facts |= rules_fact::vlan;
    if (found.vlan_count >= 2) facts |= rules_fact::inner_vlan;
    bool const l4_is_sound = found.error == wire::parse_error::none;
    // After a sound IP header, only IPv6 extension headers and the transport header can be wrong.
    bool const l3_is_sound = l4_is_sound || found.error >= wire::parse_error::ipv6_extension_truncated;
    if (!l3_is_sound) return;
    if (found.l3 == wire::l3_kind::ipv4) facts |= rules_fact::ipv4;
    if (found.l3 == wire::l3_kind::ipv6) facts |= rules_fact::ipv6;
    if (found.fragment != wire::fragment_kind::whole) facts |= rules_fact::fragment;
    if (!l4_is_sound) return;
    if (found.l4 == wire::l4_kind::udp) facts |= rules_fact::udp;
    if (found.l4 == wire::l4_kind::tcp) facts |= rules_fact::tcp;
    if (found.l4 == wire::l4_kind::icmp) facts |= rules_fact::icmp;
    if (found.l4 == wire::l4_kind::icmpv6) facts |= rules_fact::icmpv6;
  }
};
static_assert(wire::parse_error::ipv6_extension_truncated > wire::parse_error::ipv6_longer_than_frame);
static_assert(wire::parse_error::ipv6_too_many_extensions > wire::parse_error::ipv6_extension_truncated);
static_assert(wire::parse_error::udp_truncated > wire::parse_error::ipv6_too_many_extensions);

}  // namespace packetwarp
