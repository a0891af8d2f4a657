// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"
#include "inspect/match/budget.h"

namespace packetwarp::inspection_parts {

// While it lives, a lane of several tries a rule with the bytes that the packet's other rules have left of its budget.
// Rules that lanes begin at once have as many each; so a lane that has spent half a million bytes on one group tries
// the group's other rules with a few bytes, which ordinary ones do not need. A stranger can send many packets whose
// rules spend all of a budget: they cost a group's lanes no more than that.
class shared_budget {
 public:
  static constexpr std::uint32_t most_of_lane = 2 * inspect::search_budget::per_packet;
  static constexpr std::uint32_t few = inspect::search_budget::per_packet / 32;

  // spent: bytes that rules of the packet have spent, for all lanes; null: unknown. by_lane: bytes that the lane has
  // spent on the group's packets; null: a single lane judges them, and has each packet's budget alone.
  HOST_DEVICE shared_budget(std::uint32_t* spent, std::uint32_t* by_lane, inspect::search_budget& budget)
      : spent_{spent}, by_lane_{by_lane}, budget_{budget} {
    if (by_lane_ == nullptr) return;
    if (spent_ != nullptr) budget_.spend(word{*spent_}.load(cuda::memory_order_relaxed));
    if (*by_lane_ >= most_of_lane && budget_.left() > few) budget_.spend(budget_.left() - few);
    before_ = budget_.left();
  }
  shared_budget(shared_budget const&) = delete;
  shared_budget& operator=(shared_budget const&) = delete;
  HOST_DEVICE ~shared_budget() {
    if (by_lane_ == nullptr) return;
    auto const used = static_cast<std::uint32_t>(before_ - budget_.left());
    *by_lane_ += used;
    if (spent_ != nullptr && used != 0) (void)word{*spent_}.fetch_add(used, cuda::memory_order_relaxed);
  }

 private:
  // The lanes of a group are threads of one GPU.
  using word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;

  std::uint32_t* spent_;
  std::uint32_t* by_lane_;
  inspect::search_budget& budget_;
  std::uint64_t before_{};
};

}  // namespace packetwarp::inspection_parts
