// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace packetwarp::traffic {

// No generator sends before each receiver was polled once: a driver may give its peer no room for packets before
// (net_memif's client makes room in its poll), and what the peer sends back meanwhile would be lost.
class starting_line {
 public:
  // Called before the jobs are polled.
  void await_one_more() { awaited_.fetch_add(1, std::memory_order_relaxed); }
  // A receiver has been polled. Any thread.
  void arrive() { awaited_.fetch_sub(1, std::memory_order_release); }
  [[nodiscard]] bool is_clear() const { return awaited_.load(std::memory_order_acquire) == 0; }

 private:
  std::atomic<std::size_t> awaited_{0};
};

}  // namespace packetwarp::traffic
