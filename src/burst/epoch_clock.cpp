// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/epoch_clock.h"

namespace packetwarp {

// The clocks of two CPUs may differ by a little, so `now` may come before the first burst of another ring.
void epoch_clock::begin(cycles now) {
  auto const first = origin_.of_first(now);
  auto const passed = now > first ? (now - first) / length_ : 0;
  epoch_ = first_epoch + passed;
  next_at_ = first + (passed + 1) * length_;
}

void epoch_clock::advance(cycles now, burst_ring& ring) {
  if (next_at_ == 0) return begin(now);
  if (!ring.has_released(begin_)) return;
  auto const position = ring.published();
  auto const due = ring.has_released(position) ? 1 + (now - next_at_) / length_ : 1;
  epoch_ += due;
  next_at_ += due * length_;
  begin_ = position;
}

}  // namespace packetwarp
