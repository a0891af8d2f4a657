// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/replay.h"

#include <gmock/gmock.h>

#include "traffic/pcap_file.h"

namespace packetwarp::traffic {
namespace {

using testing::ElementsAre;

std::vector<std::uint64_t> times_of(replay const& sent, std::uint64_t packets) {
  std::vector<std::uint64_t> times;
  for (std::uint64_t i = 0; i < packets; ++i) times.push_back(sent.due(i));
  return times;
}

replay at_recorded_times(test::pcap_file file) {
  return replay{std::make_shared<capture const>(file.read()), capture_pace::recorded};
}

TEST(replay, has_the_times_of_the_recording_since_its_first_packet) {
  auto const sent =
      at_recorded_times(test::pcap_file{}.packet(60, 7, 999'990).packet(61, 8, 0).packet(62, 10, 500'000));
  EXPECT_TRUE(sent.keeps_times());
  EXPECT_THAT(times_of(sent, 3), ElementsAre(0, 10'000, 2'500'010'000));
}

TEST(replay, begins_another_round_after_the_mean_gap) {
  auto const sent = at_recorded_times(test::pcap_file{}.packet(60, 1, 0).packet(61, 1, 10));
  EXPECT_THAT(times_of(sent, 5), ElementsAre(0, 10'000, 15'001, 25'001, 30'002));
}

TEST(replay, sends_a_packet_with_an_earlier_time_after_the_one_before_it) {
  auto const sent = at_recorded_times(
      test::pcap_file{}.packet(60, 5, 0).packet(61, 6, 0).packet(62, 2, 0).packet(63, 5, 500'000).packet(64, 7, 0));
  EXPECT_THAT(times_of(sent, 5), ElementsAre(0, 1'000'000'000, 1'000'000'000, 1'000'000'000, 2'000'000'000));
  EXPECT_EQ(sent.length(2), 62);
}

TEST(replay, has_no_times_if_a_rate_says_when_packets_are_sent) {
  replay const sent{std::make_shared<capture const>(test::pcap_file{}.packet(60).packet(61).read()),
                    capture_pace::by_rate};
  EXPECT_FALSE(sent.keeps_times());
  EXPECT_EQ(sent.length(3), 61);
}

}  // namespace
}  // namespace packetwarp::traffic
