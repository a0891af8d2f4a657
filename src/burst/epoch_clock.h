// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "base/cycles.h"
#include "burst/burst_ring.h"
#include "burst/epoch.h"

namespace packetwarp {

inline constexpr std::chrono::milliseconds epoch_length{1};

// Gives the bursts of one ring their epochs: milliseconds since the first burst, which has epoch 1. Numbers never
// decrease. For the RX job of the ring.
//
// Bursts in the ring, published and not released, have at most two epochs, e - 1 and e. So a burst of epoch e finds all
// bursts of epochs up to e - 2 finished: whatever their packets have written is complete and visible to its packets, on
// every executor, and no executor needs a barrier. The ring holds the clock back for this:
//
//   from e to e + 1       once all bursts of epochs before e are released
//   from e to any later   once all bursts are released
//
// A burst that stays in the ring holds the clock at its own epoch or the one after it. The clock is late then; it
// catches up in steps of one epoch, or at once when the ring is empty.
class epoch_clock {
 public:
  // length: cycles of an epoch.
  explicit epoch_clock(cycles length) : length_{std::max<cycles>(length, 1)} {}

  // The epoch of the open burst, to be called when the burst is about to be published.
  [[nodiscard]] epoch_number stamp(cycles now, burst_ring& ring) {
    if (now >= next_at_) advance(now, ring);
    return epoch_;
  }

 private:
  void advance(cycles now, burst_ring& ring);

  cycles length_;
  cycles next_at_{0};  // when the next epoch is due; 0 before the first burst
  epoch_number epoch_{first_epoch};
  std::uint64_t begin_{0};  // position of the epoch's first burst
};

}  // namespace packetwarp
