// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/host_device.h"
#include "base/untraced.h"
#include "rdma/roce/folded_icrc.h"

namespace packetwarp::rdma::roce {

// CRC-32 of Ethernet (polynomial 0x04c11db7, least significant bit first), continued over a byte. Four bits at a time:
// a table of 16 words.
UNTRACED [[nodiscard]] HOST_DEVICE constexpr std::uint32_t crc_of_byte(std::uint32_t crc, std::uint32_t byte) {
  constexpr std::uint32_t of_nibble[16] = {0x0000'0000, 0x1db7'1064, 0x3b6e'20c8, 0x26d9'30ac, 0x76dc'4190, 0x6b6b'51f4,
                                           0x4db2'6158, 0x5005'713c, 0xedb8'8320, 0xf00f'9344, 0xd6d6'a3e8, 0xcb61'b38c,
                                           0x9b64'c2b0, 0x86d3'd2d4, 0xa00a'e278, 0xbdbd'f21c};
  crc ^= byte;
  crc = of_nibble[crc & 0xf] ^ crc >> 4;
  return of_nibble[crc & 0xf] ^ crc >> 4;
}

// The same, continued over bytes by a CPU: 16 at a time, whose lookups do not wait for each other (slicing: Kounavis
// and Berry, "Novel Table Lookup-Based Algorithms for High-Performance CRC Generation", 2008). 16 KiB of tables.
inline constexpr std::size_t slice = 16;
struct slicing_tables {
  std::uint32_t of[slice][256];
};
[[nodiscard]] constexpr slicing_tables make_slicing_tables() {
  slicing_tables made{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    made.of[0][byte] = crc_of_byte(0, byte);
    for (std::size_t later = 1; later < slice; ++later) made.of[later][byte] = crc_of_byte(made.of[later - 1][byte], 0);
  }
  return made;
}
inline constexpr slicing_tables slices = make_slicing_tables();

// Eight bytes, the first one lowest.
[[nodiscard]] constexpr std::uint64_t load_eight(std::byte const* at) {
  std::uint64_t value = 0;
  if (std::is_constant_evaluated()) {
    for (unsigned i = 0; i < 8; ++i) value |= static_cast<std::uint64_t>(at[i]) << 8 * i;
  } else {
    std::memcpy(&value, at, sizeof value);
  }
  return value;
}
UNCHECKED [[nodiscard]] constexpr std::uint32_t crc_of_slice(std::uint64_t low, std::uint64_t high) {
  std::uint32_t crc = 0;
  for (unsigned i = 0; i < 8; ++i)
    crc ^= slices.of[slice - 1 - i][low >> 8 * i & 0xff] ^ slices.of[slice - 9 - i][high >> 8 * i & 0xff];
  return crc;
}
UNTRACED [[nodiscard]] constexpr std::uint32_t crc_of_bytes(std::uint32_t crc, std::byte const* at, std::size_t bytes) {
  for (; bytes >= slice; at += slice, bytes -= slice) crc = crc_of_slice(load_eight(at) ^ crc, load_eight(at + 8));
  for (; bytes != 0; ++at, --bytes) crc = crc_of_byte(crc, static_cast<std::uint32_t>(*at));
  return crc;
}

// The invariant CRC of a RoCEv2 packet over IPv4 without options: of the bytes from the IPv4 header to the end of the
// padding, at least ip_and_bth of them. Fields that routers change count as ones, after eight bytes of ones (annex
// A17.3.2).
inline constexpr std::size_t ip_and_bth = 20 + 8 + 12;

// Type of service, time to live, header checksum; UDP checksum; FECN, BECN and the reserved bits of BTH.
UNTRACED [[nodiscard]] HOST_DEVICE constexpr bool varies_on_the_way(std::size_t at) {
  return at == 1 || at == 8 || at == 10 || at == 11 || at == 26 || at == 27 || at == 32;
}

#if !defined(__CUDA_ARCH__)
// On any CPU.
UNTRACED [[nodiscard]] constexpr std::uint32_t sliced_icrc_of_ipv4(std::byte const* ip, std::size_t bytes) {
  std::byte head[8 + ip_and_bth]{};
  for (std::size_t i = 0; i < 8; ++i) head[i] = std::byte{0xff};
  for (std::size_t i = 0; i < ip_and_bth; ++i) head[8 + i] = varies_on_the_way(i) ? std::byte{0xff} : ip[i];
  auto const crc = crc_of_bytes(0xffff'ffff, head, sizeof head);
  return ~crc_of_bytes(crc, ip + ip_and_bth, bytes - ip_and_bth);
}
#endif

UNTRACED [[nodiscard]] HOST_DEVICE constexpr std::uint32_t icrc_of_ipv4(std::byte const* ip, std::size_t bytes) {
#if defined(__CUDA_ARCH__)
  std::uint32_t crc = 0xffff'ffff;
  for (int i = 0; i < 8; ++i) crc = crc_of_byte(crc, 0xff);
  for (std::size_t i = 0; i < bytes; ++i)
    crc = crc_of_byte(crc, varies_on_the_way(i) ? 0xff : static_cast<std::uint32_t>(ip[i]));
  return ~crc;
#else
  if (!std::is_constant_evaluated()) return folded_icrc_of_ipv4(ip, bytes);
  return sliced_icrc_of_ipv4(ip, bytes);
#endif
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
