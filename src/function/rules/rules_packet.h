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

// A packet as rules see it: where its headers are, and which facts hold. A header that is malformed or cut is not
// there, nor is what would follow it.
struct rules_packet {
  packet_view view;
  wire::layers found{};
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
    found = wire::parse(view.data, view.contiguous, view.length);
    facts = 0;
    constexpr std::uint16_t tags_at = 14;
    at[static_cast<unsigned>(rules_header::vlan)] = tags_at;
    at[static_cast<unsigned>(rules_header::inner_vlan)] = tags_at + 4;
    at[static_cast<unsigned>(rules_header::l3)] = found.l3_offset;
    at[static_cast<unsigned>(rules_header::l4)] = found.l4_offset;
    if (found.vlan_count >= 1) facts |= rules_fact::vlan;
    if (found.vlan_count >= 2) facts |= rules_fact::inner_vlan;
    bool const l4_is_sound = found.error == wire::parse_error::none;
    // Behind an IP header that is sound, only its transport header can be wrong.
    bool const l3_is_sound = l4_is_sound || found.error >= wire::parse_error::udp_truncated;
    if (!l3_is_sound) return;
    if (found.l3 == wire::l3_kind::ipv4) facts |= rules_fact::ipv4;
    if (found.l3 == wire::l3_kind::ipv6) facts |= rules_fact::ipv6;
    if (found.fragment != wire::fragment_kind::whole) facts |= rules_fact::fragment;
    if (!l4_is_sound) return;
    if (found.l4 == wire::l4_kind::udp) facts |= rules_fact::udp;
    if (found.l4 == wire::l4_kind::tcp) facts |= rules_fact::tcp;
    if (found.l4 == wire::l4_kind::icmp) facts |= rules_fact::icmp;
  }
};
static_assert(wire::parse_error::udp_truncated > wire::parse_error::ipv6_too_many_extensions);

}  // namespace packetwarp
