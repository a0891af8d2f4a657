// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "wire/big_endian.h"
#include "wire/checksum.h"
#include "wire/ipv4.h"
#include "wire/layers.h"

// The differentiated services codepoint (RFC 2474, 3): six bits of an IPv4 or IPv6 packet whose first 20 bytes of
// header are there.
namespace packetwarp::wire {

namespace detail {

// The first two bytes of either header have the DSCP in them.
[[nodiscard]] HOST_DEVICE constexpr unsigned dscp_shift(layers const& found) noexcept {
  return found.l3 == l3_kind::ipv4 ? 2 : 6;
}

}  // namespace detail

[[nodiscard]] HOST_DEVICE constexpr std::uint8_t dscp_of(std::byte const* packet, layers const& found) noexcept {
  auto const word = load_be<std::uint16_t>(packet + found.l3_offset);
  return static_cast<std::uint8_t>(word >> detail::dscp_shift(found) & 0x3f);
}

// ECN's two bits stay; IPv4's checksum follows.
HOST_DEVICE constexpr void set_dscp(std::byte* packet, layers const& found, std::uint8_t dscp) noexcept {
  auto* const ip = packet + found.l3_offset;
  auto const was = load_be<std::uint16_t>(ip);
  auto const shift = detail::dscp_shift(found);
  auto const is = static_cast<std::uint16_t>((was & ~(0x3fU << shift)) | static_cast<unsigned>(dscp) << shift);
  store_be<std::uint16_t>(ip, is);
  if (found.l3 != l3_kind::ipv4) return;
  ipv4_view const header{ip};
  header.set_checksum(checksum_update{}.replace16(was, is).apply(header.checksum()));
}

}  // namespace packetwarp::wire
