// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/announced_end.h"

namespace packetwarp {

void announced_end::begin(std::chrono::nanoseconds within, cycles now) { until_ = now + to_cycles(within); }

bool announced_end::is_over(cycles now) {
  if (!until_) return false;
  return now >= *until_ || quiet_.is_quiet(plane_.totals().tx_packets, plane_.workers(), now);
}

}  // namespace packetwarp
