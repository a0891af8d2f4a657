// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/shm/peer_watch.h"

#include <chrono>
#include <utility>

#include "rdma/queue_pair.h"

namespace packetwarp::rdma {
namespace {

// The longest time until the watch sees that it shall end.
constexpr std::chrono::milliseconds watch_step{20};

}  // namespace

peer_watch::peer_watch(peer_link const& link, std::vector<queue_cursors*> cursors)
    : link_{&link}, cursors_{std::move(cursors)}, thread_{[this](std::stop_token const& asked) { look(asked); }} {}

void peer_watch::look(std::stop_token const& asked) {
  while (!link_->peer_has_ended(watch_step)) {
    if (asked.stop_requested()) return;
  }
  // Before a wait ends: its thread asks for the reason then.
  has_ended_.store(true, std::memory_order_release);
  for (auto* const cursors : cursors_) end_waits(*cursors);
}

}  // namespace packetwarp::rdma
