// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/epoch_clock.h"

namespace packetwarp {

void epoch_clock::advance(cycles now, burst_ring& ring) {
  if (next_at_ == 0) {
    next_at_ = now + length_;
    return;
  }
  if (!ring.has_released(begin_)) return;
  auto const position = ring.published();
  auto const due = ring.has_released(position) ? 1 + (now - next_at_) / length_ : 1;
  epoch_ += due;
  next_at_ += due * length_;
  begin_ = position;
}

}  // namespace packetwarp
