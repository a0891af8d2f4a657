// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <span>
#include <vector>

namespace packetwarp {

// Packets that a processor may still write to after all other owners have freed them: a reference to each, so that no
// port gets its memory before the processor has ended.
class held_packets {
 public:
  held_packets() = default;
  held_packets(held_packets const&) = delete;
  held_packets& operator=(held_packets const&) = delete;
  ~held_packets() { release(); }

  // Allocates memory: for use after a failure, not for every burst.
  void hold(std::span<rte_mbuf* const> packets) {
    for (auto* const packet : packets) {
      for (auto* segment = packet; segment != nullptr; segment = segment->next) {
        rte_mbuf_refcnt_update(segment, 1);
        segments_.push_back(segment);
      }
    }
  }
  // The processor has ended.
  void release() {
    for (auto* const segment : segments_) rte_pktmbuf_free_seg(segment);
    segments_.clear();
  }
  // The processor never ends: the packets' memory stays the process's, to its end.
  void abandon() { segments_.clear(); }

 private:
  std::vector<rte_mbuf*> segments_;
};

}  // namespace packetwarp
