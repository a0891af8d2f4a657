// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "rdma/network/endpoint.h"

namespace packetwarp::rdma {

// The least limits of a wait for a completion, and for a write of the peer.
inline constexpr patience completion_wait{600'000'000'000};
inline constexpr patience peer_wait{10'000'000'000};

// How long an end waits at most while so many bytes are under way: at least `least`, and longer than a peer that
// answers needs at 1 MiB/s, after all retries of a packet. A device may take up to four times the time-out that it is
// given (InfiniBand Architecture 1.4, 9.7.6.1.3).
[[nodiscard]] constexpr patience wait_limit(std::uint64_t bytes, endpoint_settings const& how, patience least) {
  constexpr std::uint64_t of_device = 4, ns_per_ms = 1'000'000, ms_per_mib = 1000, mib = 1 << 20;
  auto const timeout = of_device * (std::uint64_t{4096} << how.timeout_code);
  auto const moving = bytes * ms_per_mib / mib * ns_per_ms;
  return {std::max(least.nanoseconds, (how.retries + 1) * timeout + moving)};
}

}  // namespace packetwarp::rdma
