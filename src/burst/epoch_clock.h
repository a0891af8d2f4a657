// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/cycles.h"
#include "burst/burst_ring.h"
#include "burst/epoch.h"

namespace packetwarp {

inline constexpr std::chrono::milliseconds epoch_length{1};

// The begin of epoch 1, which the rings of a run share: the time of the first burst of any of them. Any thread.
class epoch_origin {
 public:
  // now: the caller's, if it is the first one.
  [[nodiscard]] cycles of_first(cycles now) {
    cycles seen = 0;
    return first_.compare_exchange_strong(seen, now, std::memory_order_relaxed) ? now : seen;
  }

 private:
  std::atomic<cycles> first_{0};
};

// Gives the bursts of one ring their epochs: milliseconds since the first burst of any ring, which has epoch 1. Numbers
// never decrease. For the RX job of the ring.
//
// Bursts in the ring, published and not released, have at most two epochs, e - 1 and e. So a burst of epoch e finds all
// bursts of epochs up to e - 2 finished: whatever their packets have written is complete and visible to its packets, on
// every executor, and no executor needs a barrier. The ring holds the clock back for this:
//
//   from e to e + 1       once all bursts of epochs before e are released
//   from e to any later   once all bursts are released
//
// A burst that stays in the ring holds the clock at its own epoch or the one after it. The clock is late then; it
// catches up in steps of one epoch, or at once when the ring is empty. The clocks of other rings go on: no stuck ring
// holds them.
class epoch_clock {
 public:
  // length: cycles of an epoch. origin: stays alive.
  epoch_clock(cycles length, epoch_origin& origin) : length_{std::max<cycles>(length, 1)}, origin_{origin} {}

  // The epoch of the open burst, to be called when the burst is about to be published.
  [[nodiscard]] epoch_number stamp(cycles now, burst_ring& ring) {
    if (now >= next_at_) advance(now, ring);
    return epoch_;
  }

 private:
  void advance(cycles now, burst_ring& ring);

  void begin(cycles now);

  cycles length_;
  epoch_origin& origin_;
  cycles next_at_{0};  // when the next epoch is due; 0 before the first burst
  epoch_number epoch_{first_epoch};
  std::uint64_t begin_{0};  // position of the epoch's first burst
};

}  // namespace packetwarp
