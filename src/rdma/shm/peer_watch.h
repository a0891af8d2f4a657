// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "rdma/queue_pair_ref.h"
#include "rdma/shm/peer_link.h"

namespace packetwarp::rdma {

// A thread that waits for the peer's end, and then ends the waits of CPU threads for completions (end_waits).
class peer_watch {
 public:
  // link: after trade(); it and the cursors outlive the watch.
  peer_watch(peer_link const& link, std::vector<queue_cursors*> cursors);
  peer_watch(peer_watch const&) = delete;
  peer_watch& operator=(peer_watch const&) = delete;

  // Any thread.
  [[nodiscard]] bool peer_has_ended() const { return has_ended_.load(std::memory_order_acquire); }

 private:
  void look(std::stop_token const& asked);

  peer_link const* link_;
  std::vector<queue_cursors*> cursors_;
  std::atomic<bool> has_ended_{false};
  std::jthread thread_;
};

}  // namespace packetwarp::rdma
