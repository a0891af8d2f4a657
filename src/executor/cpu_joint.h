// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <algorithm>
#include <cstdint>

#include "burst/burst_ring.h"
#include "function/function.h"

namespace packetwarp {

// The results of looking ahead at the packets of one group, for a function that can look ahead; empty for another
// function.
template <class F>
class group_outlook {
 public:
  void look_ahead(rte_mbuf* const*, unsigned, auto const&, auto const&) {}
  void look_further(unsigned, auto const&) {}
  [[nodiscard]] verdict process(packet_view packet, unsigned, auto const& tables, auto const& annotation) const {
    return F::process(packet, tables, annotation);
  }
};

template <looks_ahead_jointly F>
class group_outlook<F> {
 public:
  void look_ahead(rte_mbuf* const* packets, unsigned size, auto const& tables, auto const& see) {
    for (unsigned i = 0; i < size; ++i) seen_[i] = F::look_ahead(see(*packets[i]), tables);
  }
  void look_further(unsigned size, auto const& tables) {
    for (unsigned i = 0; i < size; ++i) F::look_further(seen_[i], tables);
  }
  [[nodiscard]] verdict process(packet_view packet, unsigned i, auto const& tables, auto const& annotation) const {
    return F::process(packet, tables, annotation, seen_[i]);
  }

 private:
  typename F::outlook seen_[joint_packets];
};

// The results of foreseeing what the packets of one group gather, for a function that can; empty for another function.
template <class F>
class group_foresight {
 public:
  void foresee(rte_mbuf* const*, unsigned, auto const&, auto const&) {}
  void gather(packet_view packet, unsigned n, auto const& tables, auto& room) const {
    F::gather(packet, n, tables, room);
  }
};

template <gathers_ahead F>
class group_foresight<F> {
 public:
  void foresee(rte_mbuf* const* packets, unsigned size, auto const& tables, auto const& see) {
    is_ahead_ = F::foresees(tables);
    if (!is_ahead_) return;
    for (unsigned i = 0; i < size; ++i) __builtin_prefetch(packets[i]);
    for (unsigned i = 0; i < size; ++i) __builtin_prefetch(rte_pktmbuf_mtod(packets[i], void const*));
    for (unsigned i = 0; i < size; ++i) F::foresee(see(*packets[i]), tables, seen_[i]);
    for (unsigned i = 0; i < size; ++i) F::foresee_further(seen_[i], tables);
  }
  void gather(packet_view packet, unsigned n, auto const& tables, auto& room) const {
    if (is_ahead_) {
      F::gather(packet, n, tables, room, seen_[n]);
    } else {
      F::gather(packet, n, tables, room);
    }
  }

 private:
  bool is_ahead_{false};  // for the group's packets
  typename F::foresight seen_[joint_packets];
};

// The room of one group, for a cpu executor whose function works on packets together; empty for another function.
template <class F>
class cpu_groups {};

template <works_jointly F>
class cpu_groups<F> {
 public:
  // Gives each packet of a burst its verdict, group by group: the group's work on the gathered data comes before the
  // decision on its first packet, and meanwhile the memory that the decisions need is fetched. see: from an rte_mbuf,
  // the view that F gets of the packet. run: makes the call that decides on a packet, and returns its verdict.
  void process(burst& work, typename taken_for_burst<F>::type const& tables, auto const& see, auto const& run) {
    for (std::uint32_t begin = 0; begin < work.size; begin += joint_packets) {
      auto const size = std::min(joint_packets, work.size - begin);
      auto* const* const packets = work.packets + begin;
      foresight_.foresee(packets, size, tables, see);
      for (std::uint32_t i = 0; i < size; ++i) foresight_.gather(see(*packets[i]), i, tables, room_);
      ahead_.look_ahead(packets, size, tables, see);
      ahead_.look_further(size, tables);
      F::work(lone_lane{size}, tables, room_);
      for (std::uint32_t i = 0; i < size; ++i) {
        auto const annotation = F::annotation_of(i, room_);
        work.verdicts[begin + i] = run([&] { return ahead_.process(see(*packets[i]), i, tables, annotation); });
      }
    }
  }

 private:
  alignas(64) typename F::room room_;
  [[no_unique_address]] group_foresight<F> foresight_;
  [[no_unique_address]] group_outlook<F> ahead_;
};

}  // namespace packetwarp
