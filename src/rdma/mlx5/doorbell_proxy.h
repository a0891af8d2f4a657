// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace packetwarp::rdma {

// Rings doorbells for posters that cannot reach a NIC's registers: a poster stores its doorbell in a word of memory,
// and a thread of the CPU stores it in the register. The doorbell record has been written by then, and tells the NIC
// how far the queue reaches; so a doorbell that is replaced before the thread sees it costs nothing.
class doorbell_proxy {
 public:
  struct line {
    std::uint64_t* word;      // 0 at first; no doorbell is 0
    std::uint64_t* doorbell;  // the register
  };

  // Starts the thread. The words and the registers outlive it.
  explicit doorbell_proxy(std::span<line const> lines);
  doorbell_proxy(doorbell_proxy const&) = delete;
  doorbell_proxy& operator=(doorbell_proxy const&) = delete;
  ~doorbell_proxy();

  // Ends the thread. Doorbells that stood in the words have been rung.
  void stop();
  [[nodiscard]] std::uint64_t rung() const { return rung_.load(std::memory_order_relaxed); }

 private:
  struct watched {
    line of;
    std::uint64_t last;
  };
  void run(std::stop_token const& asked);
  // Whether a doorbell was rung.
  [[nodiscard]] bool look();

  std::vector<watched> lines_;
  std::atomic<std::uint64_t> rung_{0};
  std::jthread thread_;
};

}  // namespace packetwarp::rdma
