// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"
#include "inspect/match/budget.h"

namespace packetwarp::inspection_parts {

// While it lives, a lane tries a rule with the bytes that the packet's other rules have left of its budget. Rules that
// lanes begin at once have as many each. A packet whose rules spend nearly all of the budget, of which a stranger can
// send many, so costs a group little more than it costs a single lane.
class shared_budget {
 public:
  // spent: bytes that rules of the packet have spent, for all lanes; null: the lane has the budget alone.
  HOST_DEVICE shared_budget(std::uint32_t* spent, inspect::search_budget& budget) : spent_{spent}, budget_{budget} {
    if (spent_ == nullptr) return;
    budget_.spend(word{*spent_}.load(cuda::memory_order_relaxed));
    before_ = budget_.left();
  }
  shared_budget(shared_budget const&) = delete;
  shared_budget& operator=(shared_budget const&) = delete;
  HOST_DEVICE ~shared_budget() {
    if (spent_ == nullptr) return;
    auto const used = before_ - budget_.left();
    if (used != 0) (void)word{*spent_}.fetch_add(static_cast<std::uint32_t>(used), cuda::memory_order_relaxed);
  }

 private:
  // The lanes of a group are threads of one GPU.
  using word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;

  std::uint32_t* spent_;
  inspect::search_budget& budget_;
  std::uint64_t before_{};
};

}  // namespace packetwarp::inspection_parts
