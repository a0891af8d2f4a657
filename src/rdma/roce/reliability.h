// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"

namespace packetwarp::rdma::roce {

// The settings of a reliable connection. Times are in ns of whatever clock the caller gives.
struct reliability {
  std::uint32_t mtu{1024};       // bytes of payload in a packet: 256, 512, 1024, 2048 or 4096
  std::uint32_t window{64};      // packets under way without an acknowledgement
  std::uint32_t ask_every{16};   // packets from one request for an acknowledgement to the next, at most
  std::uint32_t retries{7};      // in a row without progress, for time-outs and sequence errors together
  std::uint32_t rnr_retries{7};  // in a row; 7: without end
  std::uint64_t timeout_ns{std::uint64_t{4096} << 14};  // 4.096 us x 2^14, as perftest's
};
inline constexpr std::uint32_t endless_rnr_retries = 7;

[[nodiscard]] constexpr bool is_possible_mtu(std::uint32_t mtu) {
  return mtu == 256 || mtu == 512 || mtu == 1024 || mtu == 2048 || mtu == 4096;
}

// The wait that an RNR NAK asks for, by its timer code (InfiniBand Architecture 1.4, table 45), in ns.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t rnr_wait_ns(std::uint8_t code) {
  constexpr std::uint32_t in_10_us[32] = {65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                          48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                          2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return std::uint64_t{in_10_us[code & 31U]} * 10'000;
}

}  // namespace packetwarp::rdma::roce
