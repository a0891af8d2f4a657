// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/counter.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

namespace packetwarp::telemetry {
namespace {

TEST(counter, starts_at_zero_or_where_it_is_told) {
  EXPECT_EQ(counter{}.read(), 0u);
  EXPECT_EQ(counter{7}.read(), 7u);
}

TEST(counter, adds_sets_and_wraps) {
  counter c;
  c.add(40);
  c.add(2);
  EXPECT_EQ(c.read(), 42u);
  c.set(std::numeric_limits<std::uint64_t>::max());
  c.add(1);
  EXPECT_EQ(c.read(), 0u);
}

TEST(counter, never_goes_back_under_a_concurrent_reader) {
  constexpr std::uint64_t adds = 100'000;
  counter c;
  std::jthread writer{[&] {
    for (std::uint64_t i = 0; i < adds; ++i) c.add(3);
  }};
  std::uint64_t last = 0;
  while (last < 3 * adds) {
    auto const now = c.read();
    ASSERT_GE(now, last);
    ASSERT_EQ(now % 3, 0u);
    last = now;
    std::this_thread::yield();
  }
  writer.join();
  EXPECT_EQ(c.read(), 3 * adds);
}

}  // namespace
}  // namespace packetwarp::telemetry
