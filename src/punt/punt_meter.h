// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/cycles.h"
#include "punt/punt_limits.h"

namespace packetwarp {

// A token bucket for the TX jobs whose packets came in by one port. It holds one word: the moment at which the bucket
// would be full again if nothing more passed (GCRA), so that taking tokens is one exchange. Any thread.
class alignas(64) punt_meter {
 public:
  explicit punt_meter(punt_limit limit)
      : interval_{limit.per_second == 0
                      ? 1
                      : std::max<cycles>(static_cast<cycles>(cycles_per_second() / limit.per_second), 1)},
        most_ahead_{limit.per_second == 0 ? 0 : interval_ * limit.at_once} {}

  // Returns how many of `packets` may pass at this moment, and takes their tokens.
  [[nodiscard]] std::uint32_t take(std::uint32_t packets, cycles now) {
    auto full_at = full_at_.load(std::memory_order_relaxed);
    while (true) {
      auto const from = std::max(full_at, now);
      auto const ahead = from - now;
      auto const room = ahead < most_ahead_ ? (most_ahead_ - ahead) / interval_ : 0;
      auto const passing = static_cast<std::uint32_t>(std::min<cycles>(packets, room));
      if (passing == 0) return 0;
      if (full_at_.compare_exchange_weak(full_at, from + passing * interval_, std::memory_order_relaxed))
        return passing;
    }
  }

 private:
  cycles interval_;    // between two packets at the average rate
  cycles most_ahead_;  // of an empty bucket
  std::atomic<cycles> full_at_{0};
};

}  // namespace packetwarp
