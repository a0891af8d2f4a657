// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"

namespace packetwarp::rdma::roce {

// The ICRC of a RoCEv2 packet over IPv4 by the 32 lanes of a warp: each lane takes every 32nd word of the packet, and
// the ICRC is the exclusive or of the lanes' parts. It is linear: a word adds what it would add in a packet of
// zeroes, so the order of words is one of powers of x, and zeroes in front of a packet add nothing.
//
// Polynomials over GF(2) modulo CRC-32's, with the coefficient of x^0 in the highest bit, as a CRC of least significant
// bits first has them.

inline constexpr std::uint32_t lanes = 32;
inline constexpr std::uint32_t crc_polynomial = 0xedb8'8320;

[[nodiscard]] HOST_DEVICE constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (int i = 0; i < 32; ++i) {
    if ((a & 0x8000'0000U) != 0) sum ^= b;
    a <<= 1;
    b = (b & 1U) != 0 ? b >> 1 ^ crc_polynomial : b >> 1;
  }
  return sum;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t power_of_x(std::uint32_t exponent) {
  std::uint32_t made = 0x8000'0000, square = 0x4000'0000;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1U) != 0) made = product(made, square);
    square = product(square, square);
  }
  return made;
}

// Products of each byte of a word with x^1024: a step over the words of all lanes.
struct lane_tables {
  static constexpr std::uint32_t words = 4 * 256;
  std::uint32_t of[4][256];
};
// Word i of the tables, in the order of their memory.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t table_word(std::uint32_t i) {
  return product((i % 256) << 8 * (i / 256), power_of_x(32 * lanes));
}
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t over_all_lanes(std::uint32_t crc, lane_tables const& tables) {
  return tables.of[0][crc & 0xff] ^ tables.of[1][crc >> 8 & 0xff] ^ tables.of[2][crc >> 16 & 0xff] ^
         tables.of[3][crc >> 24];
}

// The power of x by which a lane's result is multiplied: the words from its last one to the end.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t lane_power(std::uint32_t lane) {
  return power_of_x(32 * (lanes - lane));
}

// The bits of word i of a packet, from its IPv4 header on, that routers change, and that the ICRC takes as ones
// (varies_on_the_way()); words have the first byte lowest.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t varying_bits(std::uint32_t i) {
  return i == 0 ? 0xff00U : i == 2 ? 0xffff'00ffU : i == 6 ? 0xffff'0000U : i == 8 ? 0xffU : 0U;
}
// CRC-32 after the eight bytes of ones that come before the packet.
inline constexpr std::uint32_t crc_of_ones = 0xdebb'20e3;

// A lane's part of the ICRC of `count` words; the exclusive or of all lanes' parts is the ICRC's complement.
[[nodiscard]] HOST_DEVICE constexpr std::uint32_t lane_part(std::uint32_t lane, std::uint32_t const* words,
                                                            std::uint32_t count, lane_tables const& tables,
                                                            std::uint32_t power) {
  auto const zeroes = (lanes - count % lanes) % lanes;
  std::uint32_t crc = 0;
  for (std::uint32_t i = lane; i < count + zeroes; i += lanes) {
    crc = over_all_lanes(crc, tables);
    if (i < zeroes) continue;
    auto const at = i - zeroes;
    crc ^= words[at] | varying_bits(at);
    if (at == 0) crc ^= crc_of_ones;
  }
  return product(crc, power);
}

}  // namespace packetwarp::rdma::roce
