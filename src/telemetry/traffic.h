// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp::telemetry {

// Packets and their bytes as DPDK counts them, from the Ethernet header on and without FCS, and their rates on a line.
struct traffic {
  static constexpr std::uint64_t fcs_bytes = 4;
  static constexpr std::uint64_t framing_bytes = 20;  // preamble 7, start delimiter 1, inter-frame gap 12

  std::uint64_t packets{};
  std::uint64_t bytes{};

  // Frames with their FCS, as RFC 2544 counts them.
  [[nodiscard]] double l2_bits() const { return bits_with(fcs_bytes); }
  // The bits that occupy the line: FCS and framing. A 64-byte frame takes 84 bytes, so 10 Gb/s are at most 14.88 Mpps.
  [[nodiscard]] double l1_bits() const { return bits_with(fcs_bytes + framing_bytes); }

 private:
  // Doubles, because bits of 64-bit byte counts do not fit 64 bits.
  [[nodiscard]] double bits_with(std::uint64_t per_packet) const {
    return 8 * (static_cast<double>(bytes) + static_cast<double>(packets) * static_cast<double>(per_packet));
  }
};

// 0 if no time has passed: a run that was stopped before its first packet has no rate.
[[nodiscard]] inline double per_second(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

}  // namespace packetwarp::telemetry
