// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/sleep.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <csignal>
#include <thread>

namespace packetwarp {
namespace {

using namespace std::chrono_literals;

// Sends this thread signals without a pause, up to `most`; counts the signals sent before it was left.
class storm {
 public:
  explicit storm(unsigned long most) : to_{pthread_self()} {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, &before_);
    from_ = std::thread{[this, most] {
      for (; sent_ < most && !is_over_; ++sent_) pthread_kill(to_, SIGUSR1);
    }};
  }
  ~storm() {
    end();
    sigaction(SIGUSR1, &before_, nullptr);
  }
  storm(storm const&) = delete;
  storm& operator=(storm const&) = delete;
  unsigned long end() {
    is_over_ = true;
    if (from_.joinable()) from_.join();
    return sent_;
  }
  [[nodiscard]] unsigned long sent() const { return sent_; }

 private:
  pthread_t to_;
  struct sigaction before_ {};
  std::thread from_;
  std::atomic<bool> is_over_{false};
  std::atomic<unsigned long> sent_{0};
};

TEST(sleep, is_no_longer_for_all_the_signals_that_come) {
  constexpr unsigned long most = 4'000'000;  // some ten seconds of them
  storm signals{most};
  while (signals.sent() < 10) std::this_thread::yield();
  for (int n = 0; n < 20; ++n) sleep_for(1ms);
  EXPECT_LT(signals.end(), most);
}

TEST(sleep, is_as_long_as_asked) {
  for (auto const time : {0ms, 3ms, 1100ms}) {
    auto const began = std::chrono::steady_clock::now();
    sleep_for(time);
    EXPECT_GE(std::chrono::steady_clock::now() - began, time);
  }
}

TEST(sleep, of_a_time_gone_by_is_none) { sleep_for(-1s); }

}  // namespace
}  // namespace packetwarp
