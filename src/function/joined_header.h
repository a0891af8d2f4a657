// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "burst/near_header.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "memory/placement.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/tcp.h"

namespace packetwarp {

// A copy, in one piece, of the headers of a packet that a port has split: for functions that read headers which may end
// after the split. Plain packets need no copy: Ethernet, IPv4 without options, and UDP, or TCP with few options.
class joined_header {
 public:
  static constexpr std::uint32_t most_bytes = most_header_bytes;

  [[nodiscard]] HOST_DEVICE static bool is_needed(packet_view const& packet) {
    return packet.contiguous == split_header_bytes && packet.rest_contiguous != 0 && !is_plain(packet.data);
  }

  HOST_DEVICE explicit joined_header(packet_view const& packet)
      : packet_{packet}, behind_{std::min(packet.rest_contiguous, most_bytes - split_header_bytes)} {
    for (std::uint32_t i = 0; i < split_header_bytes; ++i) start()[i] = packet.data[i];
    for (std::uint32_t i = 0; i < behind_; ++i) start()[split_header_bytes + i] = packet.rest[i];
  }

  // Valid as long as this object.
  [[nodiscard]] HOST_DEVICE packet_view view() { return {start(), split_header_bytes + behind_, packet_.length}; }

  // Copies the headers back to the packet, if they are needed; pushed tags go in front of it.
  HOST_DEVICE void put_back(verdict said) {
    if (!said.needs_bytes()) return;
    auto const pushed = std::max(bytes_pushed(said.move()), 0);
    for (int i = -pushed; i < static_cast<int>(split_header_bytes); ++i) packet_.data[i] = start()[i];
    for (std::uint32_t i = 0; i < behind_; ++i) packet_.rest[i] = start()[split_header_bytes + i];
  }

 private:
  [[nodiscard]] HOST_DEVICE static bool is_plain(std::byte* data) {
    constexpr auto ip_at = wire::ethernet_view<std::byte>::header_length;
    constexpr auto l4_at = ip_at + wire::ipv4_view<std::byte>::min_header_length;
    if (wire::ethernet_view{data}.type() != wire::ether_type::ipv4) return false;
    wire::ipv4_view const ip{data + ip_at};
    if (ip.version() != 4 || ip.header_length() != l4_at - ip_at) return false;
    if (ip.protocol() == wire::ip_protocol::udp) return true;
    return ip.protocol() == wire::ip_protocol::tcp &&
           l4_at + wire::tcp_view{data + l4_at}.header_length() <= split_header_bytes;
  }
  [[nodiscard]] HOST_DEVICE std::byte* start() { return bytes_ + near_headroom; }

  packet_view packet_;
  std::uint32_t behind_;
  alignas(16) std::byte bytes_[near_headroom + most_bytes];
};

}  // namespace packetwarp
