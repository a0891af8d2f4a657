// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "base/ids.h"
#include "port/port.h"
#include "port/replay/replayed_frames.h"

struct rte_eth_rxtx_callback;

namespace packetwarp {

// While it lives, a port receives frames, each RX queue its share of them, round and round: over the packets that the
// port receives by itself, so that the port decides how many and how fast; or, if the port receives nothing, in packets
// of their own, as many as are asked for while the pool has some. The port counts only the former.
//
// Callbacks that are added later see the frames. pdump's callbacks do not: pdump puts its own in front. A replay is
// made after its port has been started, and destroyed when no job receives any more: DPDK does not wait for calls in
// progress.
class rx_replay {
 public:
  // require_room() has accepted the port's packets. The pools outlive the replay. Throws failure.
  rx_replay(port const& on, std::uint16_t rx_queues, rx_pools const& pools, frame_list const& list, worked_on by);

  [[nodiscard]] port_id port_of() const { return port_; }
  // Called when the port is taken away, and no job receives from it any more.
  void end() { queues_.clear(); }

 private:
  class queue {
   public:
    queue(port const& on, frame_share share, packet_pool const& pool, frame_list const& list, worked_on by);
    queue(queue const&) = delete;
    queue& operator=(queue const&) = delete;
    ~queue();

   private:
    static std::uint16_t write_over(std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t count,
                                    std::uint16_t most, void* of);
    static std::uint16_t make(std::uint16_t, std::uint16_t, rte_mbuf** packets, std::uint16_t count, std::uint16_t most,
                              void* of);
    replayed_frames frames_;
    rte_mempool& pool_;
    port_id port_;
    queue_id id_;
    rte_eth_rxtx_callback const* callback_;
  };
  port_id port_;
  std::deque<queue> queues_;
};

}  // namespace packetwarp
