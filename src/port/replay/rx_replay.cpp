// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/replay/rx_replay.h"

#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mempool.h>

#include "base/error.h"
#include "base/thread/thread_sanitizer.h"

namespace packetwarp {

std::uint16_t rx_replay::queue::write_over(std::uint16_t /*port*/, std::uint16_t /*queue*/, rte_mbuf** packets,
                                           std::uint16_t count, std::uint16_t /*most*/, void* of) {
  std::span const received{packets, count};
  take_over(received);
  static_cast<queue*>(of)->frames_.write_over(received);
  return count;
}

std::uint16_t rx_replay::queue::make(std::uint16_t /*port*/, std::uint16_t /*queue*/, rte_mbuf** packets,
                                     std::uint16_t count, std::uint16_t most, void* of) {
  auto& self = *static_cast<queue*>(of);
  std::span const made{packets + count, static_cast<std::size_t>(most - count)};
  if (rte_mempool_get_bulk(&self.pool_, reinterpret_cast<void**>(made.data()), static_cast<unsigned>(made.size())) != 0)
    return count;
  take_over(made);
  self.frames_.write_new(made, self.port_);
  return most;
}

rx_replay::queue::queue(port const& on, frame_share share, packet_pool const& pool, frame_list const& list,
                        worked_on by)
    : frames_{list, share, by},
      pool_{pool.get()},
      port_{on.facts().id},
      id_{share.queue},
      callback_{
          rte_eth_add_rx_callback(port_.value(), id_.value(), on.facts().receives_nothing ? make : write_over, this)} {
  if (callback_ != nullptr) return;
  throw failure(fmt::format("--replay: port {}: RX queue {} does not allow access to its received packets: {}",
                            port_.value(), id_.value(), rte_strerror(rte_errno)));
}

rx_replay::queue::~queue() {
  (void)rte_eth_remove_rx_callback(port_.value(), id_.value(), callback_);
  rte_free(const_cast<rte_eth_rxtx_callback*>(callback_));
}

rx_replay::rx_replay(port const& on, std::uint16_t rx_queues, rx_pools const& pools, frame_list const& list,
                     worked_on by)
    : port_{on.facts().id} {
  for (std::uint16_t q = 0; q < rx_queues; ++q) {
    queues_.emplace_back(on, frame_share{.queue = queue_id{q}, .queues = rx_queues}, pools.of(q), list, by);
  }
}

}  // namespace packetwarp
