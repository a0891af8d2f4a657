// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/timeline.h"

#include <gmock/gmock.h>

#include <limits>

#include "traffic/stl/programs.h"

namespace packetwarp::traffic::stl {
namespace {

using testing::ElementsAre;

constexpr double hertz = 1e6;  // a cycle is a microsecond

// "0.3" is packet 3 of stream 0, with the microsecond at which it was due.
std::vector<std::string> sent_until(timeline& times, cycles end, std::size_t most = 100) {
  std::vector<std::string> all;
  for (cycles now = 1; now <= end && all.size() < most; ++now) {
    times.let_pass(now);
    for (; times.is_due() && all.size() < most; times.advance()) {
      all.push_back(std::to_string(times.front().stream) + "." + std::to_string(times.front().index) + "@" +
                    std::to_string(now - 1));
    }
  }
  return all;
}

timeline of(program const& sent, double factor = 1) { return {sent, loads_of(sent, 0), factor, hertz}; }

stream at_rate(double pps) {
  auto made = udp_stream();
  made.how_fast.value = pps;
  return made;
}

TEST(stl_timeline, a_continuous_stream_keeps_its_rate_and_its_first_packets_delay) {
  program sent{.name = "p", .streams = {at_rate(100'000)}};
  sent.streams[0].gap_us = 25;
  auto times = of(sent);
  EXPECT_THAT(sent_until(times, 50), ElementsAre("0.0@25", "0.1@35", "0.2@45"));
  EXPECT_FALSE(times.has_ended());
}

TEST(stl_timeline, the_factor_makes_rates_faster_and_leaves_gaps_alone) {
  program sent{.name = "p", .streams = {at_rate(100'000)}};
  sent.streams[0].when = bursts(2, 2, 30);
  auto times = of(sent, 2);
  EXPECT_THAT(sent_until(times, 100), ElementsAre("0.0@0", "0.1@5", "0.2@35", "0.3@40"));
  EXPECT_TRUE(times.has_ended());
}

TEST(stl_timeline, the_factor_leaves_a_fixed_rate_alone) {
  program sent{.name = "p", .streams = {at_rate(100'000), at_rate(50'000)}};
  sent.streams[1].has_fixed_rate = true;
  auto times = of(sent, 2);
  EXPECT_THAT(sent_until(times, 21), ElementsAre("0.0@0", "1.0@0", "0.1@5", "0.2@10", "0.3@15", "0.4@20", "1.1@20"));
}

TEST(stl_timeline, streams_stand_beside_each_other) {
  program sent{.name = "p", .streams = {at_rate(100'000), at_rate(50'000)}};
  auto times = of(sent);
  EXPECT_THAT(sent_until(times, 41),
              ElementsAre("0.0@0", "1.0@0", "0.1@10", "0.2@20", "1.1@20", "0.3@30", "0.4@40", "1.2@40"));
}

TEST(stl_timeline, as_fast_as_it_goes_keeps_the_order) {
  program sent{.name = "p", .streams = {at_rate(100'000), at_rate(50'000)}};
  auto times = of(sent, std::numeric_limits<double>::infinity());
  EXPECT_THAT(sent_until(times, 1, 6), ElementsAre("0.0@0", "1.0@0", "0.1@0", "0.2@0", "1.1@0", "0.3@0"));
}

TEST(stl_timeline, bursts_start_each_other_as_often_as_they_say) {
  program sent{.name = "p", .streams = {at_rate(100'000), at_rate(100'000)}};
  sent.streams[0].when = bursts(1);
  sent.streams[0].next = 1;
  sent.streams[1].when = bursts(2);
  sent.streams[1].gap_us = 5;
  sent.streams[1].starts_itself = false;
  sent.streams[1].next = 0;
  sent.streams[1].most_rounds = 2;
  auto times = of(sent);
  EXPECT_THAT(sent_until(times, 200), ElementsAre("0.0@0", "1.0@5", "1.1@15", "0.1@15", "1.2@20", "1.3@30"));
  EXPECT_TRUE(times.has_ended());
}

TEST(stl_timeline, what_a_long_stall_kept_from_being_sent_is_not_made_up) {
  program const sent{.name = "p", .streams = {at_rate(1000)}};
  auto times = of(sent);
  times.let_pass(1);
  times.let_pass(1 + 1'000'000);
  int due = 0;
  for (; times.is_due(); times.advance()) ++due;
  EXPECT_EQ(due, 11);  // 10 ms of them, and the one that was due
  EXPECT_NEAR(*times.kept().reached(), 0.01, 0.0001) << "the other 990 ms have lapsed";
}

TEST(stl_timeline, a_stall_is_made_up_for_by_a_bounded_number_of_packets) {
  program const sent{.name = "p", .streams = {at_rate(75'000), at_rate(25'000)}};
  auto const due_after_stall = [&](double of_all) {
    auto times = of(sent);
    times.limit_catch_up(256, of_all);
    times.let_pass(1);
    times.let_pass(1 + 1'000'000);
    int due = 0;
    for (; times.is_due(); times.advance()) ++due;
    return due;
  };
  EXPECT_NEAR(due_after_stall(100'000), 256, 2);
  EXPECT_NEAR(due_after_stall(10), 1000, 2) << "and never more than 10 ms of them";
}

}  // namespace
}  // namespace packetwarp::traffic::stl
