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
  std::uint32_t tried;  // that it has spent on rules which it has to try again
  // On a GPU, by inspect::clock_end:
  std::uint32_t begun;
  std::uint32_t until;  // the end of costly rules of the packets that are judged now

  // Cycles since the group's begin: costly rules have so many, whichever packets they are of, and all packets have as
  // many again between them; 8 ms each at 2 GHz. Groups of ordinary packets take a tenth of that, and half of it at
  // most. After `most` no rule is tried.
  static constexpr std::uint32_t of_all = 16'000'000;
  static constexpr std::uint32_t between_packets = 16'000'000;
  static constexpr std::uint32_t most = 2 * (of_all + between_packets);

  [[nodiscard]] HOST_DEVICE static lane_work begin() noexcept {
    auto const now = inspect::clock_end::now();
    return {0, 0, now, now};
  }
  // Before costly rules of the first `judged` of a group's packets are tried.
  HOST_DEVICE void share_time(std::uint32_t judged, std::uint32_t packets) noexcept {
    until = begun + of_all + between_packets / packets * judged;
  }
  // The same for one packet, which has its own share if those before it have taken too long.
  HOST_DEVICE void share_time_of(std::uint32_t packet, std::uint32_t packets) noexcept {
    share_time(packet + 1, packets);
    auto const least = inspect::clock_end::now() + between_packets / packets;
    if (static_cast<std::int32_t>(least - until) > 0) until = least;
  }
};

// The bytes with which a rule is tried: few, which ordinary rules do not need, and then all that are left.
enum class effort : std::uint8_t { little, whole };

// While it lives, a lane of several tries a rule with the bytes that the packet's other rules have left of its budget.
// Rules that lanes begin at once have as many each; so a lane that has spent half a million bytes on one group tries
// the group's other rules with fewer bytes. A stranger can send many packets whose rules spend all of a budget: they
// cost a group's lanes no more than that.
//
// Bytes do not bound the time of a GPU's lane. The lanes of a warp may need many bytes in turns, and an expression's
// automaton may take a thousand cycles for a byte. A host takes a GPU that has finished nothing for 100 ms for lost. So
// the rules of packets that are judged together are first tried with little effort. Only those for which it did not
// suffice are costly: they are tried after the others, and end when their packets' share of the group's time is over
// (lane_work). Costly packets so take nothing from the ordinary rules of packets beside them, whichever come first.
class shared_budget {
 public:
  static constexpr std::uint32_t most_of_lane = 2 * inspect::search_budget::per_packet;
  static constexpr std::uint32_t few = inspect::search_budget::per_packet / 32;
  static constexpr std::uint32_t fewest = few / 8;  // of little effort, by a lane that has spent much
  static constexpr std::uint32_t few_steps = 1024;  // of automata

  // spent: bytes that rules of the packet have spent, for all lanes; null: unknown. by_lane: of the lane; null: a
  // single lane judges the group's packets, and has each packet's budget alone.
  HOST_DEVICE shared_budget(std::uint32_t* spent, lane_work* by_lane, inspect::search_budget& budget,
                            effort how = effort::whole)
      : spent_{spent}, by_lane_{by_lane}, budget_{budget} {
    if (by_lane_ == nullptr) return;
    if (spent_ != nullptr) budget_.spend(word{*spent_}.load(cuda::memory_order_relaxed));
    if (how == effort::little) {
      leave(by_lane_->bytes >= most_of_lane || by_lane_->tried >= most_of_lane ? fewest : few);
      budget_.allow_steps(few_steps);
      budget_.end_at(inspect::clock_end{by_lane_->begun + lane_work::most});
    } else {
      if (by_lane_->bytes >= most_of_lane) leave(few);
      budget_.end_at(inspect::clock_end{by_lane_->until});
    }
    before_ = budget_.left();
  }
  shared_budget(shared_budget const&) = delete;
  shared_budget& operator=(shared_budget const&) = delete;
  HOST_DEVICE ~shared_budget() {
    if (by_lane_ == nullptr) return;
    auto const used = static_cast<std::uint32_t>(before_ - budget_.left());
    (is_forgotten_ != 0 ? by_lane_->tried : by_lane_->bytes) += used;
    if (is_forgotten_ != 0) return;
    if (spent_ != nullptr && used != 0) (void)word{*spent_}.fetch_add(used, cuda::memory_order_relaxed);
  }
  // The rule is tried again, and then costs the packet what it costs.
  HOST_DEVICE void forget() { is_forgotten_ = 1; }

 private:
  HOST_DEVICE void leave(std::uint64_t bytes) {
    if (budget_.left() > bytes) budget_.spend(budget_.left() - bytes);
  }

  // The lanes of a group are threads of one GPU.
  using word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;

  std::uint32_t* spent_;
  lane_work* by_lane_;
  inspect::search_budget& budget_;
  std::uint64_t before_{};
  std::uint32_t is_forgotten_{};
};

}  // namespace packetwarp::inspection_parts
