// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/grace_period.h"

#include <algorithm>
#include <atomic>

namespace packetwarp {
namespace {

// The number of packets that have arrived so far and leave by the pipeline's end. It may include packets that its
// isolated receiver is about to keep from the pipeline: the receiver counts kept packets after it has counted received
// ones.
[[nodiscard]] std::uint64_t entered(pipeline const& one) {
  auto const& arrivals = one.counters().arrivals;
  auto const kept = arrivals.kept();
  std::atomic_thread_fence(std::memory_order_acquire);
  return arrivals.packets.read() + arrivals.returned.read() + one.counters().received.handed_in.read() - kept;
}

}  // namespace

void grace_period::begin() {
  // Every thread sees the change before loop iterations are counted.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  loops_ = plane_.workers().loops();
  stage_ = stage::looping;
}

bool grace_period::is_over() {
  if (stage_ == stage::looping && all_have_looped()) {
    // Packets that are received from now on are handled after the change. Earlier ones may still be with a GPU.
    come_.clear();
    for (auto const& p : plane_.pipelines()) come_.push_back(entered(p));
    stage_ = stage::draining;
  }
  if (stage_ == stage::draining && all_have_left()) stage_ = stage::over;
  return stage_ == stage::over;
}

bool grace_period::all_have_looped() const {
  auto const now = plane_.workers().loops();
  return std::equal(now.begin(), now.end(), loops_.begin(), loops_.end(),
                    [](auto after, auto before) { return after >= before + 2; });
}

// A pipeline's packets leave in the order of their arrival. If some counted packets did not enter, later ones make up
// for them; if no more arrive, the number of entered packets is exact.
bool grace_period::all_have_left() const {
  return std::equal(plane_.pipelines().begin(), plane_.pipelines().end(), come_.begin(), come_.end(),
                    [](pipeline const& one, std::uint64_t come) {
                      auto const left = one.counters().departures.gone();
                      return left >= come || left >= entered(one);
                    });
}

}  // namespace packetwarp
