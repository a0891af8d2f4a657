// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/interrupt_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/sleep.h"
#include "memory/standing_interrupt.h"

// port_test.cpp starts the EAL.
namespace packetwarp {
namespace {

using namespace std::chrono_literals;

// A queue of a port with the gate, which a thread polls all the time, and a driver whose callback is always due.
class interrupt_gate_test : public testing::Test {
 protected:
  interrupt_gate_test() {
    passes_.emplace_back(gate_->shut());
    gate_->add(port_id{0}, passes_);
    poller_ = std::thread{[this] {
      while (!stop_.load()) {
        if (!passes_.front().enter()) continue;
        is_polled_.store(true);
        for (int n = 0; n < 100; ++n) (void)stop_.load();
        is_polled_.store(false);
        passes_.front().leave();
        polls_.fetch_add(1);
      }
    }};
  }
  ~interrupt_gate_test() override {
    stop_.store(true);
    poller_.join();
    auto const alone = gate_->hold();
    gate_->forget(port_id{0});
  }

  static void run_driver(void* self) {
    auto& test = *static_cast<interrupt_gate_test*>(self);
    for (int n = 0; n < 1000; ++n) {
      if (test.is_polled_.load()) test.meetings_.fetch_add(1);
    }
    test.callbacks_.fetch_add(1);
  }
  // Until the driver's callback has run so often, for a minute at most.
  void wait_for_callbacks(unsigned count) {
    for (auto const until = std::chrono::steady_clock::now() + 60s;
         callbacks_.load() < count && std::chrono::steady_clock::now() < until;)
      sleep_for(1ms);
  }

  std::shared_ptr<interrupt_gate> gate_{interrupt_gate::of_process()};
  std::deque<queue_pass> passes_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> is_polled_{false};
  std::atomic<unsigned> polls_{0};
  std::atomic<unsigned> callbacks_{0};
  std::atomic<unsigned> meetings_{0};  // of the driver's callback and the thread of the queue
  std::thread poller_;
};

TEST_F(interrupt_gate_test, lets_a_callback_of_a_driver_meet_no_thread_of_a_queue) {
  standing_interrupt const driver{run_driver, this};
  wait_for_callbacks(20);
  EXPECT_GE(callbacks_.load(), 20u);
  EXPECT_GT(polls_.load(), 0u);
  EXPECT_EQ(meetings_.load(), 0u);
}

TEST_F(interrupt_gate_test, keeps_callbacks_of_drivers_away_while_it_is_held) {
  standing_interrupt const driver{run_driver, this};
  wait_for_callbacks(2);
  auto held = gate_->hold();
  auto const before = callbacks_.load();
  sleep_for(200ms);
  EXPECT_EQ(callbacks_.load(), before);
  held.unlock();
  wait_for_callbacks(before + 2);
  EXPECT_GE(callbacks_.load(), before + 2);
}

}  // namespace
}  // namespace packetwarp
