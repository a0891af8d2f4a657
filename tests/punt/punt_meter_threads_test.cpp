// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "base/sleep.h"
#include "punt/punt_meter.h"

namespace packetwarp {
namespace {

constexpr unsigned threads = 4;

// The clock is the test's: the number that pass follows from it alone, in any order of the threads.
TEST(punt_meter_threads, lets_pass_as_many_as_the_bucket_holds_whoever_asks) {
  for (int round = 0; round < 50; ++round) {
    punt_meter meter{{.per_second = 1000, .at_once = 500}};
    auto const now = to_cycles(std::chrono::seconds{1000});
    std::atomic<std::uint32_t> passed{0};
    std::vector<std::thread> all;
    for (unsigned n = 0; n < threads; ++n) {
      all.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) passed += meter.take(1 + static_cast<std::uint32_t>(i) % 3, now);
      });
    }
    for (auto& one : all) one.join();
    EXPECT_EQ(passed, 500u);
    EXPECT_EQ(meter.take(100, now), 0u);
    EXPECT_EQ(meter.take(1000, now + to_cycles(std::chrono::milliseconds{100})), 100u);
  }
}

}  // namespace
}  // namespace packetwarp
