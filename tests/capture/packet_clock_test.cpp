// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/packet_clock.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace packetwarp {
namespace {

constexpr double nominal = 2e9;  // cycles per second
constexpr std::int64_t start = 1'800'000'000'000'000'000;
constexpr std::int64_t millisecond = 1'000'000;

// A cycle counter whose rate is not the nominal one, and a wall clock. Time is a count of nanoseconds since the start.
class packet_clock_test : public testing::TestWithParam<double> {
 protected:
  packet_clock_test() { clock_.begin(pair_at(0)); }
  [[nodiscard]] cycles cycles_at(std::int64_t time) const {
    return static_cast<cycles>(1e9 + static_cast<double>(time) * 1e-9 * nominal * GetParam());
  }
  [[nodiscard]] clock_pair pair_at(std::int64_t time) const { return {cycles_at(time), start + time + is_set_by_}; }
  // The time that a packet of that moment gets, less the wall clock's.
  [[nodiscard]] std::int64_t error_at(std::int64_t time) const {
    return static_cast<std::int64_t>(clock_.time_of(cycles_at(time))) - (start + time + is_set_by_);
  }
  // As the writer does, once per millisecond.
  void pass(std::int64_t until) {
    for (; time_ < until; time_ += millisecond) {
      if (clock_.is_due(cycles_at(time_))) clock_.take(pair_at(time_));
    }
  }

  std::int64_t is_set_by_{0};
  std::int64_t time_{0};
  packet_clock clock_{pair_at(-10 * millisecond), nominal};
};

TEST_P(packet_clock_test, follows_the_wall_clock_whatever_the_counters_rate_is) {
  pass(20 * millisecond);
  for (int second = 1; second <= 60; ++second) {
    EXPECT_LT(std::abs(error_at(time_)), 50'000) << "after " << time_ << " ns";
    pass(second * 1000 * millisecond);
  }
  EXPECT_LT(std::abs(error_at(time_)), 1000);
}

TEST_P(packet_clock_test, never_goes_back) {
  std::uint64_t last = 0;
  for (std::int64_t time = 0; time < 5000 * millisecond; time += millisecond / 8) {
    pass(time);
    auto const told = clock_.time_of(cycles_at(time));
    ASSERT_GE(told, last) << "after " << time << " ns";
    last = told;
  }
}

// The writer looks at no clock while it is held up. Then it writes what has waited meanwhile, 300 packets of 50 us per
// millisecond.
TEST_P(packet_clock_test, never_goes_back_though_the_writer_was_held_up) {
  constexpr std::int64_t interval = millisecond / 20;
  for (auto const held_up : {20, 100, 1000, 3000}) {
    clock_ = packet_clock{pair_at(-10 * millisecond), nominal};
    clock_.begin(pair_at(0));
    std::int64_t packet = 0;
    std::uint64_t last = 0;
    for (time_ = held_up * millisecond; time_ < (held_up + 2000) * millisecond; time_ += millisecond) {
      if (clock_.is_due(cycles_at(time_))) {
        clock_.take(pair_at(time_));
        clock_.forget_before(cycles_at(packet));
      }
      for (int n = 0; n < 300 && packet < time_; ++n, packet += interval) {
        auto const told = clock_.time_of(cycles_at(packet));
        ASSERT_GE(told, last) << "at " << packet << " ns, after " << held_up << " ms";
        ASSERT_LT(std::abs(error_at(packet)), 1000) << "at " << packet << " ns, after " << held_up << " ms";
        last = told;
      }
    }
  }
}

// The writer gets its pairs, and the packets wait for seconds. Meanwhile the wall clock is set by so little that lines
// are bent.
TEST_P(packet_clock_test, gives_packets_that_waited_for_many_pairs_the_times_that_they_would_have_had_at_once) {
  std::vector<std::uint64_t> told;
  for (int n = 0; n < 500; ++n) {
    if (n == 200) is_set_by_ += 30 * millisecond;
    pass(n * 10 * millisecond);
    told.push_back(clock_.time_of(cycles_at(time_)));
  }
  clock_.forget_before(cycles_at(1000 * millisecond));
  for (std::size_t n = 100; n < told.size(); ++n) {
    ASSERT_EQ(clock_.time_of(cycles_at(static_cast<std::int64_t>(n) * 10 * millisecond)), told[n]) << n;
  }
}

TEST_P(packet_clock_test, gives_a_packet_that_waited_for_the_writer_the_same_time_after_a_pair) {
  pass(3000 * millisecond);
  auto const when = cycles_at(time_ - millisecond);
  auto const told = clock_.time_of(when);
  while (!clock_.is_due(cycles_at(time_))) time_ += millisecond;
  auto const just_before = cycles_at(time_ - millisecond);
  auto const told_before = clock_.time_of(just_before);
  clock_.take(pair_at(time_));
  EXPECT_EQ(clock_.time_of(just_before), told_before);
  EXPECT_EQ(clock_.time_of(when), told);
}

TEST_P(packet_clock_test, is_set_with_the_wall_clock) {
  pass(5000 * millisecond);
  for (std::int64_t const hours : {1, -2}) {
    is_set_by_ += hours * 3600 * 1000 * millisecond;
    pass(time_ + 1100 * millisecond);
    EXPECT_LT(std::abs(error_at(time_)), 10 * millisecond);
    pass(time_ + 10'000 * millisecond);
    EXPECT_LT(std::abs(error_at(time_)), 1000);
  }
}

INSTANTIATE_TEST_SUITE_P(rates, packet_clock_test, testing::Values(1.0, 1.002, 0.998));

TEST(read_clocks, gives_pairs_in_their_order) {
  auto const first = read_clocks();
  auto const second = read_clocks();
  EXPECT_GT(second.at, first.at);
  EXPECT_GT(second.wall, 0);
  EXPECT_GE(second.wall, first.wall - 1000 * millisecond) << "it may be set meanwhile, by a little";
}

}  // namespace
}  // namespace packetwarp
