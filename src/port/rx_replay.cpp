// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/rx_replay.h"

#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>

#include "base/error.h"
#include "base/thread_sanitizer.h"

namespace packetwarp {
namespace {

std::uint16_t write_over(std::uint16_t /*port*/, std::uint16_t /*queue*/, rte_mbuf** packets, std::uint16_t count,
                         std::uint16_t /*most*/, void* frames) {
  std::span const received{packets, count};
  take_over(received);
  static_cast<replayed_frames*>(frames)->write_over(received);
  return count;
}

}  // namespace

rx_replay::queue::queue(port_id port, frame_share share, frame_list const& list, worked_on by)
    : frames_{list, share, by},
      port_{port},
      id_{share.queue},
      callback_{rte_eth_add_rx_callback(port.value(), id_.value(), write_over, &frames_)} {
  if (callback_ != nullptr) return;
  throw failure(fmt::format("--replay: port {}: RX queue {} lets nobody at what it receives: {}", port.value(),
                            id_.value(), rte_strerror(rte_errno)));
}

rx_replay::queue::~queue() {
  (void)rte_eth_remove_rx_callback(port_.value(), id_.value(), callback_);
  rte_free(const_cast<rte_eth_rxtx_callback*>(callback_));
}

rx_replay::rx_replay(port_id port, std::uint16_t rx_queues, frame_list const& list, worked_on by) {
  for (std::uint16_t q = 0; q < rx_queues; ++q) {
    queues_.emplace_back(port, frame_share{.queue = queue_id{q}, .queues = rx_queues}, list, by);
  }
}

}  // namespace packetwarp
