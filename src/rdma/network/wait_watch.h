// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace packetwarp::rdma {

// Ends waits that have become useless. Once there is a reason, such as a lost GPU or a peer that has ended, or once the
// user has asked twice to stop, threads and kernels that wait for completions wait no longer. A thread of its own looks
// every few milliseconds.
class wait_watch {
 public:
  // ask: the reason why no completion will come, empty while there is none; the watch's thread calls it. Empty: only
  // the user is asked. end_waits: ends the waits (queue_pair::end_waits()), once, after the reason is known; if it
  // throws failure, the waits are those of a lost GPU, which end by themselves. The watch's thread calls both.
  wait_watch(std::function<std::string()> ask, std::function<void()> end_waits);
  wait_watch(wait_watch const&) = delete;
  wait_watch& operator=(wait_watch const&) = delete;

  // The reason, or nothing. Any thread.
  [[nodiscard]] std::string reason() const;
  // Throws failure with the reason, if there is one. Any thread.
  void require_none() const;

 private:
  void look(std::stop_token const& asked);

  std::function<std::string()> ask_;
  std::function<void()> end_waits_;
  mutable std::mutex mutex_;
  std::string reason_;
  std::jthread thread_;
};

}  // namespace packetwarp::rdma
