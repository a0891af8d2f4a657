// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

namespace packetwarp::telemetry {
namespace {

constexpr auto largest = std::numeric_limits<std::uint64_t>::max();
constexpr double percents[]{0, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.99, 100};

histogram_snapshot recorded(std::vector<std::uint64_t> const& values) {
  histogram h;
  for (auto const value : values) h.record(value, 1);
  return h.snapshot();
}

// By the definition: the value at the nearest rank of the sorted samples.
std::uint64_t true_percentile(std::vector<std::uint64_t> const& sorted, double percent) {
  auto const rank = std::ceil(std::nextafter(percent, 0.0) / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

TEST(histogram_buckets, are_contiguous_and_hold_what_they_say) {
  using buckets = histogram_buckets;
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < buckets::count; ++i) {
    ASSERT_EQ(buckets::lowest(i), expected);
    ASSERT_EQ(buckets::of(buckets::lowest(i)), i);
    ASSERT_EQ(buckets::of(buckets::middle(i)), i);
    ASSERT_EQ(buckets::of(buckets::highest(i)), i);
    ASSERT_LE(static_cast<double>(buckets::highest(i) - buckets::middle(i)),
              static_cast<double>(buckets::lowest(i)) * buckets::relative_error);
    expected = buckets::highest(i) + 1;
  }
  EXPECT_EQ(expected, 0u) << "the last bucket ends at 2^64-1";
}

TEST(histogram, says_zero_when_nothing_was_recorded) {
  histogram h;
  h.record(5, 0);
  auto const none = h.snapshot();
  EXPECT_TRUE(none.is_empty());
  EXPECT_EQ(none.count(), 0u);
  EXPECT_EQ(none.min(), 0u);
  EXPECT_EQ(none.max(), 0u);
  EXPECT_EQ(none.mean(), 0);
  for (auto const percent : percents) EXPECT_EQ(none.percentile(percent), 0u);
}

TEST(histogram, is_exact_below_64) {
  std::vector<std::uint64_t> values(64);
  std::iota(values.begin(), values.end(), 0u);
  auto const s = recorded(values);
  EXPECT_EQ(s.count(), 64u);
  EXPECT_EQ(s.min(), 0u);
  EXPECT_EQ(s.max(), 63u);
  EXPECT_DOUBLE_EQ(s.mean(), 31.5);
  for (auto const percent : percents) EXPECT_EQ(s.percentile(percent), true_percentile(values, percent)) << percent;
}

TEST(histogram, is_within_a_sixty_fourth_of_sorted_samples) {
  std::mt19937_64 random{20260101};
  std::lognormal_distribution<double> latency{9, 2};
  std::vector<std::uint64_t> values(50'000);
  for (auto& value : values) value = static_cast<std::uint64_t>(latency(random));
  auto const s = recorded(values);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(s.count(), values.size());
  EXPECT_EQ(s.min(), values.front());
  EXPECT_EQ(s.max(), values.back());
  for (auto const percent : percents) {
    auto const truth = static_cast<double>(true_percentile(values, percent));
    EXPECT_NEAR(static_cast<double>(s.percentile(percent)), truth, truth / 64) << percent;
  }
  auto const mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  EXPECT_NEAR(s.mean(), mean, mean / 64);
}

TEST(histogram, keeps_to_its_error_in_every_power_of_two) {
  std::mt19937_64 random{7};
  for (int bits = 0; bits < 64; ++bits) {
    std::vector<std::uint64_t> values(101);
    for (auto& value : values) value = random() >> bits;
    auto const s = recorded(values);
    std::sort(values.begin(), values.end());
    auto const truth = static_cast<double>(values[50]);
    EXPECT_NEAR(static_cast<double>(s.percentile(50)), truth, truth / 64) << bits;
  }
}

TEST(histogram, counts_a_weight_as_so_many_records) {
  histogram weighted;
  histogram one_by_one;
  for (std::uint64_t value = 1; value <= 1'000; ++value) {
    weighted.record(value, value);
    for (std::uint64_t i = 0; i < value; ++i) one_by_one.record(value, 1);
  }
  auto const a = weighted.snapshot();
  auto const b = one_by_one.snapshot();
  EXPECT_EQ(a.count(), b.count());
  EXPECT_EQ(a.mean(), b.mean());
  for (auto const percent : percents) EXPECT_EQ(a.percentile(percent), b.percentile(percent)) << percent;
}

TEST(histogram, takes_the_nearest_rank_where_a_percentage_is_no_exact_double) {
  histogram h;
  h.record(10, 999);
  h.record(20, 1);
  auto const s = h.snapshot();
  EXPECT_EQ(s.percentile(99.9), 10u);
  EXPECT_EQ(s.percentile(99.91), 20u);
}

TEST(histogram, holds_the_extremes) {
  auto const s = recorded({0, largest});
  EXPECT_EQ(s.count(), 2u);
  EXPECT_EQ(s.min(), 0u);
  EXPECT_EQ(s.max(), largest);
  EXPECT_EQ(s.percentile(50), 0u);
  EXPECT_EQ(s.percentile(100), largest);
  EXPECT_EQ(recorded({largest}).percentile(50), largest);
}

TEST(histogram, answers_beyond_0_and_100_as_at_them) {
  auto const s = recorded({1'000, 2'000});
  EXPECT_EQ(s.percentile(-1), 1'000u);
  EXPECT_EQ(s.percentile(std::numeric_limits<double>::quiet_NaN()), 1'000u);
  EXPECT_EQ(s.percentile(1e9), 2'000u);
}

TEST(histogram, counts_what_is_at_most_a_value) {
  histogram h;
  for (std::uint64_t value = 0; value < 1000; ++value) h.record(value, 3);
  auto const s = h.snapshot();
  EXPECT_EQ(s.count_at_most(0), 3u);
  EXPECT_EQ(s.count_at_most(63), 3u * 64);
  // 500 shares a bucket with those up to 503.
  EXPECT_EQ(s.count_at_most(500), 3u * 504);
  EXPECT_EQ(s.count_at_most(~std::uint64_t{0}), s.count());
  EXPECT_EQ(histogram_snapshot{}.count_at_most(~std::uint64_t{0}), 0u);
}

TEST(histogram, keeps_ranks_in_range_when_counts_exceed_a_doubles_digits) {
  histogram h;
  h.record(1, (std::uint64_t{1} << 62) - 1);
  h.record(2, std::uint64_t{1} << 62);
  auto const s = h.snapshot();
  EXPECT_EQ(s.percentile(25), 1u);
  EXPECT_EQ(s.percentile(75), 2u);
  EXPECT_EQ(s.percentile(std::nextafter(100, 0)), 2u);
}

TEST(histogram_snapshot, sums_as_if_both_had_been_one) {
  auto a = recorded({5, 1'000'000});
  a += recorded({3, 70});
  auto const both = recorded({3, 5, 70, 1'000'000});
  EXPECT_EQ(a.count(), 4u);
  EXPECT_EQ(a.min(), 3u);
  EXPECT_EQ(a.max(), 1'000'000u);
  EXPECT_EQ(a.mean(), both.mean());
  for (auto const percent : percents) EXPECT_EQ(a.percentile(percent), both.percentile(percent)) << percent;
}

TEST(histogram_snapshot, is_left_alone_by_an_empty_one) {
  auto a = recorded({1'001});
  a += histogram_snapshot{};
  EXPECT_EQ(a.min(), 1'001u);
  EXPECT_EQ(a.max(), 1'001u);
  histogram_snapshot b;
  b += a;
  EXPECT_EQ(b.percentile(50), 1'001u);
}

TEST(histogram_snapshot, leaves_what_was_recorded_in_between) {
  histogram h;
  h.record(9, 10);
  h.record(1'000'000, 10);  // the warm-up's worst
  auto const warm = h.snapshot();
  h.record(20, 3);
  h.record(100'000, 1);
  auto const measured = h.snapshot() - warm;
  EXPECT_EQ(measured.count(), 4u);
  EXPECT_EQ(measured.min(), 20u);
  EXPECT_EQ(measured.percentile(50), 20u);
  EXPECT_NEAR(static_cast<double>(measured.max()), 100'000, 100'000.0 / 32);
  EXPECT_TRUE((warm - warm).is_empty());
  EXPECT_EQ((warm - warm).max(), 0u);
}

TEST(histogram_snapshot, keeps_exact_extremes_in_a_difference_that_still_holds_them) {
  histogram h;
  h.record(1'000, 1);
  auto const warm = h.snapshot();
  h.record(777, 1);
  h.record(5'001, 1);
  auto const measured = h.snapshot() - warm;
  EXPECT_EQ(measured.min(), 777u);
  EXPECT_EQ(measured.max(), 5'001u);
}

TEST(histogram, can_be_read_while_it_is_written) {
  constexpr std::uint64_t records = 200'000;
  histogram h;
  std::jthread writer{[&] {
    for (std::uint64_t i = 0; i < records; ++i) h.record(100 + i % 900, 2);
  }};
  std::uint64_t last = 0;
  while (last < 2 * records) {
    auto const s = h.snapshot();
    ASSERT_GE(s.count(), last);
    last = s.count();
    if (s.is_empty()) continue;
    ASSERT_EQ(last % 2, 0u);
    ASSERT_GE(s.min(), 100u);
    ASSERT_LE(s.max(), histogram_buckets::highest(histogram_buckets::of(999)));
    ASSERT_LE(s.min(), s.percentile(50));
    ASSERT_LE(s.percentile(50), s.percentile(99));
    ASSERT_LE(s.percentile(99), s.max());
  }
  writer.join();
  EXPECT_EQ(h.snapshot().min(), 100u);
  EXPECT_EQ(h.snapshot().max(), 999u);
}

}  // namespace
}  // namespace packetwarp::telemetry
