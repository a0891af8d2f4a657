// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "feature/write_row.h"

// The features of a packet that are no levels, for the code that writes rows by vector instructions.
namespace packetwarp::feature::detail {

// The first 24 bytes of a row.
using row_flags = std::array<std::uint64_t, 3>;

// Bit n of the index as byte n, with the value of a flag.
inline constexpr unsigned flag_bits = 6;
[[nodiscard]] constexpr auto spread_flags() {
  std::array<std::uint64_t, 1U << flag_bits> made{};
  for (std::size_t flags = 0; flags < made.size(); ++flags) {
    for (unsigned bit = 0; bit < flag_bits; ++bit) {
      if ((flags >> bit & 1) != 0) made[flags] |= std::uint64_t{flag} << 8 * bit;
    }
  }
  return made;
}
inline constexpr auto flags_spread = spread_flags();
static_assert(wire::tcp_flag::fin == 1 && wire::tcp_flag::syn == 2 && wire::tcp_flag::rst == 4 &&
              wire::tcp_flag::psh == 8 && wire::tcp_flag::ack == 16 && wire::tcp_flag::urg == 32);
static_assert(static_cast<int>(place::syn) == static_cast<int>(place::fin) + 1 &&
              static_cast<int>(place::urg) == static_cast<int>(place::fin) + 5);
static_assert(static_cast<int>(transport::tcp) == 1 && static_cast<int>(transport::other) == 4 &&
              static_cast<int>(place::other_protocol) == static_cast<int>(place::tcp) + 3);

[[nodiscard]] constexpr std::uint64_t byte_at(place at, std::int8_t value) {
  return std::uint64_t{static_cast<std::uint8_t>(value)} << static_cast<unsigned>(at) % 8 * 8;
}

[[nodiscard]] inline row_flags row_flags_of(packet_facts const& facts) {
  using enum place;
  constexpr unsigned fin_bit = static_cast<unsigned>(fin) % 8 * 8;
  auto const flags = flags_spread[facts.tcp_flags & ((1U << flag_bits) - 1)];
  auto first = byte_at(ipv6, flag_if(facts.ip_version == 6)) | flags << fin_bit;
  if (facts.kind != transport::none) {
    first |= byte_at(tcp, flag) << 8 * (static_cast<unsigned>(facts.kind) - static_cast<unsigned>(transport::tcp));
  }
  auto const second = flags >> (64 - fin_bit) | byte_at(tcp_options, static_cast<std::int8_t>(facts.tcp_options)) |
                      byte_at(fragment, flag_if(facts.is_fragment != 0));
  std::uint64_t third = 0;
  if (facts.has_ports != 0) {
    third = byte_at(source_port, port_kind(facts.source_port)) |
            byte_at(destination_port, port_kind(facts.destination_port)) |
            byte_at(to_service, flag_if(facts.destination_port < facts.source_port));
  }
  return {first, second, third};
}

// A count of 64 bits, for levels of counts of 32 bits.
[[nodiscard]] inline std::uint32_t bounded(std::uint64_t count) {
  constexpr std::uint64_t most = ~std::uint32_t{0};
  return static_cast<std::uint32_t>(count < most ? count : most);
}

}  // namespace packetwarp::feature::detail
