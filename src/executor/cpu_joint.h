// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <algorithm>
#include <cstdint>

#include "burst/burst_ring.h"
#include "function/function.h"

namespace packetwarp {

// What a cpu executor has for a function that works on packets together: the room of one group. Nothing for another.
template <class F>
class cpu_groups {};

template <works_jointly F>
class cpu_groups<F> {
 public:
  // Gives each packet of a burst its verdict, a group after the other: what all packets of one have gathered is worked
  // on before the first of them is decided on. see: of an rte_mbuf, what F sees of the packet. run: calls what decides
  // on one packet, and returns what that says.
  void process(burst& work, typename taken_for_burst<F>::type const& tables, auto const& see, auto const& run) {
    for (std::uint32_t begin = 0; begin < work.size; begin += joint_packets) {
      auto const size = std::min(joint_packets, work.size - begin);
      auto* const* const packets = work.packets + begin;
      for (std::uint32_t i = 0; i < size; ++i) F::gather(see(*packets[i]), i, tables, room_);
      F::work(lone_lane{size}, tables, room_);
      for (std::uint32_t i = 0; i < size; ++i) {
        auto const annotation = F::annotation_of(i, room_);
        work.verdicts[begin + i] = run([&] { return F::process(see(*packets[i]), tables, annotation); });
      }
    }
  }

 private:
  alignas(64) typename F::room room_;
};

}  // namespace packetwarp
