// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_pause.h>

#include <algorithm>
#include <chrono>

#include "base/cycles.h"
#include "executor/cpu_joint.h"
#include "executor/executor.h"
#include "function/function.h"

namespace packetwarp {

// Runs function F on the lcore that polls it, one burst per call.
template <packet_function F>
class cpu_executor final : public executor {
 public:
  // packet_time: the least time to spend on a packet, in place of heavier work; zero for none.
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
  [[nodiscard]] std::string_view name_of(drop_reason reason) const override { return drop_name<F>(reason, tables_); }

 private:
  using burst_tables = typename taken_for_burst<F>::type;

  [[nodiscard]] static packet_view see(rte_mbuf& packet) {
    return reaches_payload<F> ? view_with_rest_of(packet) : view_of(packet);
  }

  [[nodiscard]] burst_outcome process(burst& work) {
    // Local copies, because a store through std::byte* may change any object whose address is known.
    auto const all = tables_;
    burst_tables const tables = taken_for_burst<F>::of(all, {.epoch = work.epoch});
    if constexpr (works_jointly<F>) {
      joint_.process(work, tables, see, [](auto const& decide) { return decide(); });
    } else if constexpr (looks_ahead<F>) {
      if (gains_by_looking_ahead<F>(tables)) {
        process_in_groups(work.packets, work.verdicts, work.size, tables);
      } else {
        process_in_turn(work.packets, work.verdicts, work.size, tables);
      }
    } else {
      process_in_turn(work.packets, work.verdicts, work.size, tables);
    }
    return outcome_of(work.verdicts, work.size);
  }
  [[nodiscard]] static burst_outcome outcome_of(verdict const* verdicts, std::uint32_t size) {
    unsigned differing = 0;
    for (std::uint32_t i = 1; i < size; ++i) {
      differing |= static_cast<unsigned>(verdicts[i].raw() ^ verdicts[0].raw());
    }
    return differing == 0 ? burst_outcome::uniform(verdicts[0]) : burst_outcome::mixed();
  }

  // flatten inlines all calls: a call per packet costs more than its work, and its arguments go through memory.
  [[gnu::flatten]] static void process_in_turn(rte_mbuf** packets, verdict* verdicts, std::uint32_t size,
                                               burst_tables const& tables) {
#pragma GCC unroll 4
    for (std::uint32_t i = 0; i < size; ++i) verdicts[i] = F::process(see(*packets[i]), tables);
  }

  // The packets per group: about as many as a core can fetch lines side by side.
  static constexpr std::uint32_t group = 16;

  // While the packets of one group are worked on, the memory for the next group is being fetched, and so is the memory
  // that leads to the data of the group after it.
  static void process_in_groups(rte_mbuf** packets, verdict* verdicts, std::uint32_t size, burst_tables const& tables) {
    typename F::outlook seen[3][group];
    look_ahead(seen[0], packets, 0, size, tables);
    look_ahead(seen[1], packets, group, size, tables);
    look_further(seen[0], 0, size, tables);
    for (std::uint32_t begin = 0, n = 0; begin < size; begin += group, n = (n + 1) % 3) {
      look_ahead(seen[(n + 2) % 3], packets, begin + 2 * group, size, tables);
      look_further(seen[(n + 1) % 3], begin + group, size, tables);
      process_group(seen[n], packets, verdicts, begin, size, tables);
    }
  }
  // For the group that begins at `begin`, as far as the burst has packets.
  [[gnu::flatten]] static void look_ahead(auto* seen, rte_mbuf** packets, std::uint32_t begin, std::uint32_t size,
                                          burst_tables const& tables) {
    for (std::uint32_t i = begin; i < std::min(begin + group, size); ++i) {
      seen[i - begin] = F::look_ahead(see(*packets[i]), tables);
    }
  }
  [[gnu::flatten]] static void look_further(auto* seen, std::uint32_t begin, std::uint32_t size,
                                            burst_tables const& tables) {
    for (std::uint32_t i = begin; i < std::min(begin + group, size); ++i) F::look_further(seen[i - begin], tables);
  }

  [[gnu::flatten]] static void process_group(auto* seen, rte_mbuf** packets, verdict* verdicts, std::uint32_t begin,
                                             std::uint32_t size, burst_tables const& tables) {
    for (std::uint32_t i = begin; i < std::min(begin + group, size); ++i) {
      verdicts[i] = F::process(see(*packets[i]), tables, seen[i - begin]);
    }
  }

  [[nodiscard]] burst_outcome process_slowly(burst& work) {
    auto const slowly = [this](auto const& decide) {
      cycles const until = now_cycles() + packet_cycles_;
      auto const said = decide();
      while (now_cycles() < until) rte_pause();
      return said;
    };
    burst_tables const tables = taken_for_burst<F>::of(tables_, {.epoch = work.epoch});
    if constexpr (works_jointly<F>) {
      joint_.process(work, tables, see, slowly);
    } else {
      for (std::uint32_t i = 0; i < work.size; ++i) {
        work.verdicts[i] = slowly([&] { return F::process(see(*work.packets[i]), tables); });
      }
    }
    return burst_outcome::mixed();
  }

  burst_ring& ring_;
  typename F::ref tables_;
  cycles packet_cycles_;
  [[no_unique_address]] cpu_groups<F> joint_;
};

}  // namespace packetwarp
