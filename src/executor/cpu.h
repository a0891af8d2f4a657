// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_pause.h>

#include <chrono>

#include "base/cycles.h"
#include "executor/executor.h"
#include "function/function.h"

namespace packetwarp {

// Runs function F on the lcore that polls it, a burst a call.
template <packet_function F>
class cpu_executor final : public executor {
 public:
  // packet_time: the least time to spend on a packet, to stand for heavier work; zero for none.
  cpu_executor(burst_ring& ring, typename F::ref tables, std::chrono::nanoseconds packet_time)
      : ring_{ring}, tables_{tables}, packet_cycles_{to_cycles(packet_time)} {}

  [[nodiscard]] std::uint32_t poll() override {
    burst* const next = ring_.next_ready();
    if (next == nullptr) return 0;
    ring_.take();
    auto const size = next->size;
    auto const outcome = packet_cycles_ == 0 ? process(*next) : process_slowly(*next);
    ring_.finish(outcome);
    return size;
  }
  [[nodiscard]] std::string_view name_of(drop_reason reason) const override { return drop_name<F>(reason); }

 private:
  [[nodiscard]] static packet_view see(rte_mbuf& packet) {
    return reaches_payload<F> ? view_with_rest_of(packet) : view_of(packet);
  }

  [[nodiscard]] burst_outcome process(burst& work) {
    // Copies, because a store through std::byte* may change anything whose address is known.
    auto const tables = tables_;
    auto const size = work.size;
    rte_mbuf** const packets = work.packets;
    verdict* const verdicts = work.verdicts;
    verdict const first = F::process(see(*packets[0]), tables);
    verdicts[0] = first;
    unsigned differing = 0;
#pragma GCC unroll 4
    for (std::uint32_t i = 1; i < size; ++i) {
      verdict const v = F::process(see(*packets[i]), tables);
      verdicts[i] = v;
      differing |= static_cast<unsigned>(v.raw() ^ first.raw());
    }
    return differing == 0 ? burst_outcome::uniform(first) : burst_outcome::mixed();
  }

  [[nodiscard]] burst_outcome process_slowly(burst& work) {
    for (std::uint32_t i = 0; i < work.size; ++i) {
      cycles const until = now_cycles() + packet_cycles_;
      work.verdicts[i] = F::process(see(*work.packets[i]), tables_);
      while (now_cycles() < until) rte_pause();
    }
    return burst_outcome::mixed();
  }

  burst_ring& ring_;
  typename F::ref tables_;
  cycles packet_cycles_;
};

}  // namespace packetwarp
