// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_cycles.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace packetwarp {

// The CPU's time-stamp counter: the data path's only clock. Comparable across lcores if the TSC is invariant.
using cycles = std::uint64_t;

[[nodiscard]] inline cycles now_cycles() { return rte_rdtsc(); }

// Cycles per second, as the EAL measured it; valid after eal_session has started.
[[nodiscard]] inline double cycles_per_second() { return static_cast<double>(rte_get_tsc_hz()); }

// At most half of the range of cycles, which is longer than any machine runs, so that adding it to now never wraps.
[[nodiscard]] inline cycles to_cycles(std::chrono::nanoseconds time) {
  constexpr double most = 0x1p63;
  return static_cast<cycles>(std::min(static_cast<double>(time.count()) * cycles_per_second() / 1e9, most));
}

[[nodiscard]] inline double to_nanoseconds(cycles count) {
  return static_cast<double>(count) * 1e9 / cycles_per_second();
}

}  // namespace packetwarp
