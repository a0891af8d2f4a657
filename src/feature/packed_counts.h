// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"

// Counts of one epoch that share a word, so that a packet adds to all of them by one operation. Their widths are beyond
// what one millisecond, and the bursts that a ring holds, can bring.
namespace packetwarp::feature {

// Packets in the low 24 bits, and their bytes.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t one_packet(std::uint32_t bytes) noexcept {
  return std::uint64_t{bytes} << 24 | 1;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t packets_of(std::uint64_t word) noexcept { return word & 0xff'ffffU; }
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t bytes_of(std::uint64_t word) noexcept { return word >> 24; }

// Three counts of 21 bits.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t three_counts(unsigned first, unsigned second,
                                                               unsigned third) noexcept {
  return std::uint64_t{first} | std::uint64_t{second} << 21 | std::uint64_t{third} << 42;
}
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t count_of_three(std::uint64_t word, unsigned number) noexcept {
  return word >> (21 * number) & 0x1f'ffffU;
}

template <class Count>
[[nodiscard]] HOST_DEVICE constexpr Count saturating_sum(Count count, std::uint64_t more) noexcept {
  constexpr std::uint64_t most = static_cast<Count>(~Count{0});
  std::uint64_t const sum = count + more;
  return static_cast<Count>(sum < most ? sum : most);
}

}  // namespace packetwarp::feature
