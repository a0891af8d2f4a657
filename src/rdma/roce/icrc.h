// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"

namespace packetwarp::rdma::roce {

// CRC-32 of Ethernet (polynomial 0x04c11db7, least significant bit first), continued over a byte. Four bits at a time:
// a table of 16 words.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t crc_of_byte(std::uint32_t crc, std::uint32_t byte) {
  constexpr std::uint32_t of_nibble[16] = {0x0000'0000, 0x1db7'1064, 0x3b6e'20c8, 0x26d9'30ac, 0x76dc'4190, 0x6b6b'51f4,
                                           0x4db2'6158, 0x5005'713c, 0xedb8'8320, 0xf00f'9344, 0xd6d6'a3e8, 0xcb61'b38c,
                                           0x9b64'c2b0, 0x86d3'd2d4, 0xa00a'e278, 0xbdbd'f21c};
  crc ^= byte;
  crc = of_nibble[crc & 0xf] ^ crc >> 4;
  return of_nibble[crc & 0xf] ^ crc >> 4;
}

// The invariant CRC of a RoCEv2 packet over IPv4 without options: of the bytes from the IPv4 header to the end of the
// padding, at least ip_and_bth of them. Fields that routers change count as ones, after eight bytes of ones (annex
// A17.3.2).
inline constexpr std::size_t ip_and_bth = 20 + 8 + 12;

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t icrc_of_ipv4(std::byte const* ip, std::size_t bytes) {
  std::uint32_t crc = 0xffff'ffff;
  for (int i = 0; i < 8; ++i) crc = crc_of_byte(crc, 0xff);
  for (std::size_t i = 0; i < bytes; ++i) {
    // Type of service, time to live, header checksum; UDP checksum; FECN, BECN and the reserved bits of BTH.
    bool const varies = i == 1 || i == 8 || i == 10 || i == 11 || i == 26 || i == 27 || i == 32;
    crc = crc_of_byte(crc, varies ? 0xff : static_cast<std::uint32_t>(ip[i]));
  }
  return ~crc;
}

// The ICRC is sent with its least significant byte first.
HOST_DEVICE constexpr void store_icrc(std::byte* at, std::uint32_t icrc) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::byte>(icrc >> 8 * i & 0xff);
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t load_icrc(std::byte const* at) {
  std::uint32_t icrc = 0;
  for (int i = 0; i < 4; ++i) icrc |= static_cast<std::uint32_t>(at[i]) << 8 * i;
  return icrc;
}

}  // namespace packetwarp::rdma::roce
