// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"
#include "inspect/match/budget.h"

namespace packetwarp::inspection_parts {

// The work of a lane on the packets of a group.
struct lane_work {
  std::uint32_t bytes;  // that it has spent
  std::uint32_t begun;  // on a GPU, by search_budget::clock()

  [[nodiscard]] HOST_DEVICE static lane_work begin() noexcept {
#if defined(__CUDA_ARCH__)
    return {0, inspect::search_budget::clock()};
#else
    return {};
#endif
  }
};

// While it lives, a lane of several tries a rule with the bytes that the packet's other rules have left of its budget.
// Rules that lanes begin at once have as many each; so a lane that has spent half a million bytes on one group tries
// the group's other rules with a few bytes, which ordinary ones do not need. A stranger can send many packets whose
// rules spend all of a budget: they cost a group's lanes no more than that.
//
// Bytes do not bound the time of a GPU's lane. The lanes of a warp may need many bytes in turns, and an expression's
// automaton may take a thousand cycles for a byte. A host takes a GPU that has finished nothing for 100 ms for lost. So
// a group that takes `slow` cycles goes on as if its lanes had spent their bytes, and after twice as many no rule
// matches that needs more. Groups of ordinary packets take a tenth of that.
class shared_budget {
 public:
  static constexpr std::uint32_t most_of_lane = 2 * inspect::search_budget::per_packet;
  static constexpr std::uint32_t slow = 16'000'000;  // 8 ms at 2 GHz
  static constexpr std::uint32_t few = inspect::search_budget::per_packet / 32;

  // spent: bytes that rules of the packet have spent, for all lanes; null: unknown. by_lane: of the lane; null: a
  // single lane judges the group's packets, and has each packet's budget alone.
  HOST_DEVICE shared_budget(std::uint32_t* spent, lane_work* by_lane, inspect::search_budget& budget)
      : spent_{spent}, by_lane_{by_lane}, budget_{budget} {
    if (by_lane_ == nullptr) return;
    if (spent_ != nullptr) budget_.spend(word{*spent_}.load(cuda::memory_order_relaxed));
    bool const has_few = bound_time() || by_lane_->bytes >= most_of_lane;
    if (has_few && budget_.left() > few) budget_.spend(budget_.left() - few);
    before_ = budget_.left();
  }
  shared_budget(shared_budget const&) = delete;
  shared_budget& operator=(shared_budget const&) = delete;
  HOST_DEVICE ~shared_budget() {
    if (by_lane_ == nullptr) return;
    auto const used = static_cast<std::uint32_t>(before_ - budget_.left());
    by_lane_->bytes += used;
    if (spent_ != nullptr && used != 0) (void)word{*spent_}.fetch_add(used, cuda::memory_order_relaxed);
  }

 private:
  // From `slow` cycles of the group on, it returns true.
  [[nodiscard]] HOST_DEVICE bool bound_time() const {
#if defined(__CUDA_ARCH__)
    budget_.end_at(by_lane_->begun + 2 * slow);
    return inspect::search_budget::clock() - by_lane_->begun >= slow;
#else
    return false;
#endif
  }

  // The lanes of a group are threads of one GPU.
  using word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;

  std::uint32_t* spent_;
  lane_work* by_lane_;
  inspect::search_budget& budget_;
  std::uint64_t before_{};
};

}  // namespace packetwarp::inspection_parts
