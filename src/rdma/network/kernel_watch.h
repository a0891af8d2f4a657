// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "rdma/queue_pair_ref.h"

namespace packetwarp::rdma {

// Looks after kernels that serve queues until they are told to end. If one ends by itself, because its GPU is lost, the
// reason is logged, and threads of the CPU that wait for completions of the queues wait no longer: the queues' status
// becomes waited_too_long, if it was done. A thread of its own looks every few milliseconds.
class kernel_watch {
 public:
  // ask: the reason why a kernel works no more, empty while all work; the watch's thread calls it. cursors: of queues
  // whose cursors the CPU reaches; they outlive the watch, which must end before the kernels are told to.
  kernel_watch(std::function<std::string()> ask, std::vector<queue_cursors*> cursors);
  kernel_watch(kernel_watch const&) = delete;
  kernel_watch& operator=(kernel_watch const&) = delete;

  // The reason, or nothing. Any thread.
  [[nodiscard]] std::string reason() const;

 private:
  void look(std::stop_token const& asked);

  std::function<std::string()> ask_;
  std::vector<queue_cursors*> cursors_;
  mutable std::mutex mutex_;
  std::string reason_;
  std::jthread thread_;
};

}  // namespace packetwarp::rdma
