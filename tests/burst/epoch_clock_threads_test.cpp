// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "burst/epoch_clock.h"

namespace packetwarp {
namespace {

// Each role of a ring on a thread of its own. For each epoch the RX thread counts published bursts in plain memory, and
// the TX thread counts released ones. Before the executor works on a burst of epoch e, it compares the counts of epoch
// e - 2: nothing but the clock's gate orders them, so ThreadSanitizer (preset tsan) sees any gap in it.
class epochs_on_three_threads : public testing::Test {
 protected:
  static constexpr std::uint64_t bursts = 100'000;
  static constexpr cycles length = 16;  // a burst takes one cycle

  void produce() {
    epoch_origin origin;
    epoch_clock clock{length, origin};
    for (std::uint64_t n = 0; n < bursts; ++n) {
      while (ring_.open() == nullptr) std::this_thread::yield();
      auto const epoch = clock.stamp(1 + n, ring_);
      ++published_[epoch];
      ring_.publish(epoch);
    }
  }
  void execute() {
    for (std::uint64_t n = 0; n < bursts; ++n) {
      burst const* ready = nullptr;
      while ((ready = ring_.next_ready()) == nullptr) std::this_thread::yield();
      if (auto const epoch = ready->epoch; epoch > 2) wrong_ += published_[epoch - 2] != released_[epoch - 2] ? 1U : 0U;
      ring_.take();
      ring_.finish(burst_outcome::mixed());
    }
  }
  void consume() {
    for (std::uint64_t n = 0; n < bursts; ++n) {
      burst const* done = nullptr;
      while ((done = ring_.next_done()) == nullptr) std::this_thread::yield();
      last_ = done->epoch;
      ++released_[done->epoch];
      ring_.release();
    }
  }

  burst_ring ring_{64, 1};
  std::vector<std::uint64_t> published_ = std::vector<std::uint64_t>(2 + bursts / length);
  std::vector<std::uint64_t> released_ = published_;
  std::uint64_t wrong_{};
  epoch_number last_{};
};

TEST_F(epochs_on_three_threads, an_executor_sees_all_of_the_epoch_before_last_finished) {
  std::thread executes{[this] { execute(); }};
  std::thread sends{[this] { consume(); }};
  produce();
  executes.join();
  sends.join();
  EXPECT_EQ(wrong_, 0u);
  EXPECT_GT(last_, 2u);
}

}  // namespace
}  // namespace packetwarp
