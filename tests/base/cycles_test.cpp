// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/cycles.h"

#include <gtest/gtest.h>

#include <limits>

#include "fixtures/eal_environment.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment);

TEST(cycles, of_a_second_are_the_clock_s_frequency) {
  EXPECT_GT(cycles_per_second(), 0.0);
  EXPECT_EQ(to_cycles(1s), static_cast<cycles>(cycles_per_second()));
  EXPECT_EQ(to_cycles(0s), 0u);
}

TEST(cycles, come_back_as_the_time_they_were) {
  EXPECT_NEAR(to_nanoseconds(to_cycles(20us)), 20e3, 1.0);
  EXPECT_NEAR(to_nanoseconds(to_cycles(10ms)), 10e6, 1.0);
}

TEST(cycles, of_the_longest_time_can_be_added_to_now) {
  auto const longest = to_cycles(std::chrono::nanoseconds::max());
  EXPECT_GT(longest, to_cycles(24h * 365 * 50));
  EXPECT_GT(now_cycles() + longest, longest);
}

TEST(cycles, never_go_back) {
  auto const before = now_cycles();
  EXPECT_GE(now_cycles(), before);
}

}  // namespace
}  // namespace packetwarp
