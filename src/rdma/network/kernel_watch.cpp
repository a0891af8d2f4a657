// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/kernel_watch.h"

#include <chrono>
#include <utility>

#include "base/log/log.h"
#include "base/sleep.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma {
namespace {

constexpr std::chrono::milliseconds between_looks{5};

}  // namespace

kernel_watch::kernel_watch(std::function<std::string()> ask, std::vector<queue_cursors*> cursors)
    : ask_{std::move(ask)}, cursors_{std::move(cursors)}, thread_{[this](std::stop_token const& asked) {
        look(asked);
      }} {}

std::string kernel_watch::reason() const {
  std::scoped_lock const lock{mutex_};
  return reason_;
}

void kernel_watch::look(std::stop_token const& asked) {
  std::string found;
  while (found.empty()) {
    if (asked.stop_requested()) return;
    sleep_for(between_looks);
    found = ask_();
  }
  log().error("{}", found);
  {
    // Before a wait ends: its thread asks for the reason then.
    std::scoped_lock const lock{mutex_};
    reason_ = std::move(found);
  }
  for (auto* const cursors : cursors_) end_waits(*cursors);
}

}  // namespace packetwarp::rdma
