// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/run_report.h"

#include <gtest/gtest.h>

#include <limits>

#include "telemetry/traffic.h"

namespace packetwarp::telemetry {
namespace {

TEST(traffic, counts_line_rate_of_the_smallest_frame_as_ten_gigabit) {
  traffic const second{.packets = 14'880'952, .bytes = 14'880'952ull * 60};
  EXPECT_NEAR(second.l1_bits(), 10e9, 1'000);
  EXPECT_NEAR(second.l2_bits(), 10e9 * 64 / 84, 1'000);
}

TEST(traffic, does_not_overflow) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_NEAR((traffic{.packets = most, .bytes = most}).l1_bits(), 8 * 25 * 0x1p64, 0x1p14);
}

TEST(drop_counts, add_up_by_name) {
  drop_counts drops;
  add_drops(drops, "runt", 2);
  add_drops(drops, "tx_full", 5);
  add_drops(drops, "runt", 1);
  ASSERT_EQ(drops.size(), 2u);
  EXPECT_EQ(drops[0].name, "runt");
  EXPECT_EQ(drops[0].packets, 3u);
  EXPECT_EQ(total(drops), 8u);
}

TEST(packet_counts, are_conserved_when_every_packet_went_somewhere) {
  packet_counts packets{.rx = 10, .tx = 5, .punted = 1, .in_flight = 1, .dropped = {{"runt", 2}, {"tx_full", 1}}};
  EXPECT_TRUE(packets.conserved());
  packets.dropped[1].packets = 0;
  EXPECT_FALSE(packets.conserved());
  EXPECT_EQ(packets.accounted(), 9u);
}

TEST(latency_percentiles, are_microseconds_of_cycles) {
  histogram h;
  for (std::uint64_t cycles = 1; cycles <= 60; ++cycles) h.record(cycles, 1);
  auto const us = in_microseconds(h.snapshot(), 2e6);
  ASSERT_TRUE(us);
  EXPECT_DOUBLE_EQ(us->p50, 15);
  EXPECT_DOUBLE_EQ(us->p99, 30);
  EXPECT_DOUBLE_EQ(us->p999, 30);
}

TEST(latency_distribution, counts_packets_up_to_each_bound) {
  histogram h;
  h.record(1'000, 5);       // 1 us
  h.record(1'100, 2);       // a little more
  h.record(30'000'000, 1);  // 30 ms
  h.record(5'000'000'000, 1);
  auto const made = distribution_of(h.snapshot(), 1e9);
  EXPECT_EQ(made.at_most[0], 5u);
  EXPECT_EQ(made.at_most[1], 7u);
  EXPECT_EQ(made.at_most[13], 7u) << "20 ms";
  EXPECT_EQ(made.at_most[14], 8u) << "50 ms";
  EXPECT_EQ(made.at_most.back(), 8u);
  EXPECT_EQ(made.packets, 9u);
  EXPECT_NEAR(made.seconds, 5.0300072, 5.03 / 64);
}

TEST(latency_distribution, is_empty_where_nothing_was_recorded_or_the_clock_is_unknown) {
  EXPECT_EQ(distribution_of(histogram_snapshot{}, 1e9).packets, 0u);
  histogram h;
  h.record(1, 1);
  EXPECT_EQ(distribution_of(h.snapshot(), 0).packets, 0u);
}

TEST(stage_report, says_what_a_packet_costs_where_there_was_one) {
  stage_report const stage{.calls = 4, .packets = 100, .cycles = 2'500};
  EXPECT_DOUBLE_EQ(stage.cycles_per_packet().value(), 25);
  EXPECT_DOUBLE_EQ(stage.packets_per_call().value(), 25);
  EXPECT_FALSE(stage_report{}.cycles_per_packet());
  EXPECT_FALSE(stage_report{}.packets_per_call());
}

TEST(latency_percentiles, are_nothing_where_nothing_was_recorded_or_the_clock_is_unknown) {
  EXPECT_FALSE(in_microseconds(histogram_snapshot{}, 2e9));
  histogram h;
  h.record(1, 1);
  EXPECT_FALSE(in_microseconds(h.snapshot(), 0));
}

TEST(run_report, has_rates_of_what_was_sent_over_the_measured_stretch) {
  run_report const r{.seconds = 2, .measured_rx = 999, .measured_tx = {.packets = 4'000'000, .bytes = 240'000'000}};
  EXPECT_DOUBLE_EQ(r.mpps(), 2);
  EXPECT_DOUBLE_EQ(r.gbps_l2(), 2e6 * 64 * 8 / 1e9);
  EXPECT_DOUBLE_EQ(r.gbps_l1(), 2e6 * 84 * 8 / 1e9);
}

TEST(run_report, has_no_rate_where_no_time_passed) {
  for (double const seconds : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    run_report const r{.seconds = seconds, .measured_tx = {.packets = 1, .bytes = 60}};
    EXPECT_EQ(r.mpps(), 0);
    EXPECT_EQ(r.gbps_l1(), 0);
    EXPECT_EQ(r.gbps_l2(), 0);
  }
}

}  // namespace
}  // namespace packetwarp::telemetry
