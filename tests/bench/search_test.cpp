// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/search.h"

#include <gmock/gmock.h>

#include <cmath>

namespace packetwarp::bench::search_tests {
namespace {

using testing::Each;
using testing::SizeIs;

// A trial of a second in which loss_percent percent were lost.
trial trial_with(double mpps, double loss_percent) {
  auto const sent = static_cast<std::uint64_t>(std::llround(mpps * 1e6));
  auto const lost = static_cast<std::uint64_t>(std::llround(static_cast<double>(sent) * loss_percent / 100));
  return {.offered_mpps = mpps, .sent = sent, .received = sent - lost, .lost = lost, .seconds = 1};
}

// A device that loses a share at each rate, and the trials that were run on it.
struct device {
  std::function<double(double)> loss_percent;
  std::vector<trial> trials{};

  found_rate find(double tolerated_percent,
                  search_limits const& within = {.line_mpps = 10, .resolution_percent = 0.5}) {
    return search(within, tolerated_percent, trials, [&](double mpps) { return trial_with(mpps, loss_percent(mpps)); });
  }
};

// Carries up to `most`, and loses the rest.
std::function<double(double)> carrying(double most) {
  return [most](double mpps) { return mpps <= most ? 0 : 100 * (mpps - most) / mpps; };
}

TEST(throughput_search, comes_as_close_as_the_resolution_to_what_a_device_carries) {
  for (double const most : {0.1, 1.0, 3.3, 5.0, 7.77, 9.99}) {
    device of{carrying(most)};
    auto const found = of.find(0);
    EXPECT_LE(found.mpps, most);
    EXPECT_GT(found.mpps, most - 0.05 - 1e-9) << most;
    EXPECT_GT(found.above_mpps, most);
    EXPECT_EQ(found.above, trial_verdict::lossy);
    EXPECT_TRUE(found.is_complete);
    // 0.5 % of the line is one of 200 steps: the line, and a bisection of 8.
    EXPECT_THAT(of.trials, SizeIs(testing::Le(9)));
    EXPECT_DOUBLE_EQ(of.trials[*found.at].offered_mpps, found.mpps);
  }
}

TEST(throughput_search, ends_with_one_trial_where_the_line_itself_passes) {
  device of{carrying(11)};
  auto const found = of.find(0);
  EXPECT_DOUBLE_EQ(found.mpps, 10);
  EXPECT_FALSE(found.above_mpps);
  EXPECT_TRUE(found.is_complete);
  EXPECT_THAT(of.trials, SizeIs(1));
}

TEST(throughput_search, says_so_where_no_rate_passes) {
  device of{[](double) { return 1.0; }};
  auto const found = of.find(0);
  EXPECT_EQ(found.mpps, 0);
  EXPECT_FALSE(found.at);
  EXPECT_TRUE(found.is_complete);
  EXPECT_LE(*found.above_mpps, 0.05);
}

TEST(throughput_search, tolerates_loss_up_to_its_limit_and_not_more) {
  device of{carrying(5)};
  auto const found = of.find(2);
  EXPECT_LE(100 * (found.mpps - 5) / found.mpps, 2);
  EXPECT_GT(100 * (*found.above_mpps - 5) / *found.above_mpps, 2);
  EXPECT_EQ(judge(trial_with(1, 2), 2), trial_verdict::passed);
  EXPECT_EQ(judge(trial_with(1, 2.001), 2), trial_verdict::lossy);
}

TEST(throughput_search, begins_with_the_trials_that_are_known) {
  device of{carrying(5)};
  auto const no_drop = of.find(0);
  auto const before = of.trials.size();
  auto const partial = of.find(0.5);
  EXPECT_GE(partial.mpps, no_drop.mpps);
  EXPECT_LE(of.trials.size() - before, 2U);
  auto const again = of.find(0.5);
  EXPECT_DOUBLE_EQ(again.mpps, partial.mpps);
  EXPECT_EQ(of.find(0.5).at, partial.at);
}

TEST(throughput_search, ends_on_a_device_whose_loss_comes_and_goes) {
  // Nine times in ten the right result; else a packet of a carried rate is lost, or none of an excessive one.
  std::uint64_t noise = 1;
  for (int round = 0; round < 200; ++round) {
    device of{[&](double mpps) {
      noise = noise * 6364136223846793005U + 1442695040888963407U;
      bool const is_odd = (noise >> 60) == 0;
      bool const loses = (mpps > 6) != is_odd;
      return loses ? 1.0 : 0.0;
    }};
    auto const found = of.find(0);
    ASSERT_TRUE(found.is_complete);
    ASSERT_LE(of.trials.size(), 9U);
    if (!found.above_mpps) continue;  // the line passed by chance
    EXPECT_LE(*found.above_mpps - found.mpps, 0.05 + 1e-9);
    // The result is a trial's own.
    if (found.at) {
      EXPECT_EQ(judge(of.trials[*found.at], 0), trial_verdict::passed);
    }
    EXPECT_TRUE(std::any_of(of.trials.begin(), of.trials.end(), [&](trial const& one) {
      return one.offered_mpps == *found.above_mpps && judge(one, 0) != trial_verdict::passed;
    }));
  }
}

TEST(throughput_search, a_rate_that_the_generator_does_not_keep_bounds_the_search_and_is_told_apart) {
  std::vector<trial> trials;
  auto const found = search({.line_mpps = 10, .resolution_percent = 1}, 0, trials, [](double mpps) {
    auto made = trial_with(std::min(mpps, 4.0), 0);
    made.offered_mpps = mpps;
    return made;
  });
  EXPECT_NEAR(found.mpps, 4, 0.15);  // 99 % of a rate is near enough
  EXPECT_EQ(found.above, trial_verdict::not_offered);
}

TEST(throughput_search, stops_when_asked_and_says_what_it_knows) {
  std::vector<trial> trials;
  auto const found = search({.line_mpps = 8, .resolution_percent = 1}, 0, trials, [&](double mpps) {
    return trials.size() == 3 ? std::nullopt : std::optional{trial_with(mpps, mpps > 3 ? 5 : 0)};
  });
  EXPECT_FALSE(found.is_complete);
  EXPECT_DOUBLE_EQ(found.mpps, 2);
  EXPECT_DOUBLE_EQ(*found.above_mpps, 4);
  EXPECT_THAT(trials, SizeIs(3));
}

TEST(throughput_search, nothing_sent_is_all_lost) {
  EXPECT_EQ(judge({.offered_mpps = 1, .seconds = 1}, 50), trial_verdict::lossy);
}

}  // namespace
}  // namespace packetwarp::bench::search_tests
