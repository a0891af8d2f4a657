// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/pacer.h"

#include <gtest/gtest.h>

#include <vector>

namespace packetwarp::traffic {
namespace {

constexpr double hz = 1e9;  // a cycle is a nanosecond
constexpr double ten_gigabit = 10e9;
constexpr cycles start = 12'345;

// Polls every `step` cycles until `end`; returns when each packet, of `bytes`, was sent, counted from the start.
std::vector<cycles> send(pacer& pace, cycles step, cycles end, std::uint32_t bytes = 60) {
  std::vector<cycles> sent;
  for (cycles now = 0; now <= end; now += step) {
    pace.refill(start + now);
    for (int burst = 0; burst < 32 && pace.is_due(); ++burst) {
      pace.charge(bytes);
      sent.push_back(now);
    }
  }
  return sent;
}

TEST(pacer, sends_at_once_and_then_evenly) {
  pacer pace{{1e6, rate::unit::packets_per_second}, 0, hz};
  EXPECT_EQ(send(pace, 100, 5000), (std::vector<cycles>{0, 1000, 2000, 3000, 4000, 5000}));
}

TEST(pacer, keeps_the_rate_over_time_when_polls_do_not_meet_the_packets) {
  pacer pace{{3e6, rate::unit::packets_per_second}, 0, hz};
  EXPECT_EQ(send(pace, 777, 10'000'000).size(), 30'000U);
}

TEST(pacer, counts_bits_of_frames_with_their_check_sequence) {
  // 64-byte frames are 512 bits on layer 2 and 672 on layer 1.
  pacer l2{{512e6, rate::unit::l2_bits_per_second}, 0, hz};
  EXPECT_EQ(send(l2, 10, 10'000).size(), 11U);
  pacer l1{{672e6, rate::unit::l1_bits_per_second}, 0, hz};
  EXPECT_EQ(send(l1, 10, 10'000).size(), 11U);
  pacer large{{512e6, rate::unit::l2_bits_per_second}, 0, hz};
  EXPECT_EQ(send(large, 10, 240'000, 1514).size(), 11U) << "1518 bytes take 23.7 us";
}

TEST(pacer, takes_a_percentage_of_the_line_on_layer_1) {
  pacer pace{{50, rate::unit::line_percent}, ten_gigabit, hz};
  EXPECT_NEAR(static_cast<double>(send(pace, 10, 1'000'000).size()), 7440, 2) << "half of 14.88 Mpps for a millisecond";
}

TEST(pacer, without_a_limit_is_always_due) {
  pacer pace{{0, rate::unit::unlimited}, 0, hz};
  EXPECT_EQ(send(pace, 1, 99).size(), 3200U);
}

TEST(pacer, makes_up_for_a_short_stall_but_not_for_a_long_one) {
  pacer pace{{1e6, rate::unit::packets_per_second}, 0, hz};
  (void)send(pace, 1000, 0);
  auto const after_stall = [&](cycles now) {
    pace.refill(start + now);
    std::uint64_t sent = 0;
    for (; pace.is_due(); ++sent) pace.charge(60);
    return sent;
  };
  EXPECT_EQ(after_stall(5'000'000), 5000U);
  EXPECT_EQ(after_stall(10'000'000'000), 10'001U) << "10 ms of packets, and the one that is due";
}

TEST(pacer, tells_what_share_of_its_rate_was_reached) {
  pacer pace{{1e6, rate::unit::packets_per_second}, 0, hz};
  (void)send(pace, 1000, 20'000'000);
  EXPECT_DOUBLE_EQ(*pace.kept().reached(), 1);
  // No poll for 40 ms; 10 of them are made up.
  pace.refill(start + 60'000'000);
  EXPECT_NEAR(*pace.kept().reached(), 0.5, 0.001);
  pacer slow{{1e6, rate::unit::packets_per_second}, 0, hz};
  for (cycles now = 0; now <= 1'000'000'000; now += 1'000'000) {  // one packet per millisecond; a thousand are due
    slow.refill(start + now);
    slow.charge(60);
  }
  EXPECT_NEAR(*slow.kept().reached(), 0.011, 0.001) << "what is made up later has not lapsed yet";
  pacer unlimited{{0, rate::unit::unlimited}, 0, hz};
  (void)send(unlimited, 1000, 20'000'000);
  EXPECT_FALSE(unlimited.kept().reached().has_value());
}

TEST(pacer, can_be_told_how_many_packets_it_may_make_up) {
  pacer pace{{1e6, rate::unit::packets_per_second}, 0, hz};
  pace.limit_catch_up(20, 60);
  pace.refill(start);
  pace.refill(start + 1'000'000);
  int sent = 0;
  for (; pace.is_due(); ++sent) pace.charge(60);
  EXPECT_EQ(sent, 21) << "20 packets, and the one that is due";
}

TEST(pacer, does_not_mind_a_clock_that_steps_back) {
  pacer pace{{1e6, rate::unit::packets_per_second}, 0, hz};
  pace.refill(start);
  pace.charge(60);
  pace.refill(start - 1000);
  EXPECT_FALSE(pace.is_due());
  pace.refill(start + 999);
  EXPECT_FALSE(pace.is_due());
  pace.refill(start + 1000);
  EXPECT_TRUE(pace.is_due());
}

}  // namespace
}  // namespace packetwarp::traffic
