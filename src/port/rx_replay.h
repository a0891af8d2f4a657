// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>

#include "base/ids.h"
#include "port/replayed_frames.h"

struct rte_eth_rxtx_callback;

namespace packetwarp {

// While it lives, what a port receives is overwritten by frames, each RX queue's share of them round and round. For
// ports that make packets out of nothing: how many there are, and how fast, is left to the port.
//
// Callbacks that are added later see the frames. pdump's do not: it puts its own in front. It is made after its port
// has been started, and goes when nobody receives any more: DPDK does not wait for calls that are under way.
class rx_replay {
 public:
  // require_room() has been asked about the port's packets. Throws failure.
  rx_replay(port_id port, std::uint16_t rx_queues, frame_list const& list, worked_on by);

 private:
  class queue {
   public:
    queue(port_id port, frame_share share, frame_list const& list, worked_on by);
    queue(queue const&) = delete;
    queue& operator=(queue const&) = delete;
    ~queue();

   private:
    replayed_frames frames_;
    port_id port_;
    queue_id id_;
    rte_eth_rxtx_callback const* callback_;
  };
  std::deque<queue> queues_;
};

}  // namespace packetwarp
