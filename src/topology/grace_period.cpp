// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/grace_period.h"

#include <algorithm>
#include <atomic>

namespace packetwarp {

void grace_period::begin() {
  // What was changed is there for everybody before the turns are counted.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  turns_ = plane_.workers().turns();
  stage_ = stage::turning;
}

bool grace_period::is_over() {
  if (stage_ == stage::turning && all_have_turned()) {
    // Packets that are received from here on are handled after the change. Those before may still be with a GPU.
    come_.clear();
    for (auto const& p : plane_.pipelines()) {
      auto const& arrivals = p.counters().arrivals;
      come_.push_back(arrivals.packets.read() + arrivals.returned.read());
    }
    stage_ = stage::draining;
  }
  if (stage_ == stage::draining && all_have_left()) stage_ = stage::over;
  return stage_ == stage::over;
}

bool grace_period::all_have_turned() const {
  auto const now = plane_.workers().turns();
  return std::equal(now.begin(), now.end(), turns_.begin(), turns_.end(),
                    [](auto after, auto before) { return after >= before + 2; });
}

// A pipeline's packets leave in the order they came.
bool grace_period::all_have_left() const {
  return std::equal(plane_.pipelines().begin(), plane_.pipelines().end(), come_.begin(), come_.end(),
                    [](pipeline const& one, std::uint64_t come) {
                      auto const& gone = one.counters().departures;
                      return gone.packets.read() + gone.punted.read() + gone.dropped_packets.read() >= come;
                    });
}

}  // namespace packetwarp
