// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Segments that a receiver discards for their acknowledgment, in the data path.
#include <gtest/gtest.h>

#include <random>

#include "inspection/connections.h"
#include "inspection/stage_bed.h"
#include "wire/big_endian.h"

namespace packetwarp::test {
namespace {

using inspection_parts::fate;
using fates = std::vector<fate>;

constexpr inspection_sizes with_streams{.flows = 65'536, .rates = 65'536};
constexpr std::uint32_t first_of_both = 0xffff'fff0;

// The segment acknowledges this many bytes.
frame_bytes acknowledging(std::uint32_t count, frame_bytes frame) {
  constexpr std::size_t acknowledgment_at = 14 + 20 + 8;
  wire::store_be<std::uint32_t>(frame.data() + acknowledgment_at, first_of_both + count);
  return frame;
}

TEST(discarded_stage, gives_the_inspectors_alerts_and_counts) {
  std::mt19937 random{11};
  auto connections = random_connections(150, 6);
  for (auto& one : connections)
    for (auto& frame : one)
      if (random() % 3 == 0) frame = acknowledging(static_cast<std::uint32_t>(random() % 100), frame);
  auto frames = interleaved(connections);
  for (unsigned const group : {1U, 3U, 32U}) {
    stage_bed bed{rules_for_streams};
    inspect::inspector judge{bed.compiled(), bed.rules().rules.size(), inspection_key, {.flows = 65'536}};
    auto const wanted = alerts_of(judge, bed, frames);
    (void)bed.judge(frames, group);
    EXPECT_EQ(bed.alerts(), wanted) << "groups of " << group;
    EXPECT_EQ(bed.counts().segments, judge.segments());
    EXPECT_GT(judge.segments().discarded, 100U);
  }
}

TEST(discarded_stage, a_decoy_hides_nothing_and_the_true_bytes_are_dropped) {
  for (unsigned const group : {1U, 32U}) {
    stage_bed bed{"drop tcp any any -> any any (flow:to_server; content:\"secret word\"; sid:1;)\n", with_streams};
    connection const tcp{4000};
    auto frames = tcp.handshake();
    frames.push_back(acknowledging(1, tcp.segment(0, 0, "XXXXXXX")));
    frames.push_back(tcp.segment(0, 0, "secret "));
    frames.push_back(acknowledging(1, tcp.segment(0, 7, "XXXX")));
    frames.push_back(tcp.segment(0, 7, "word"));
    frames.push_back(tcp.segment(0, 11, "more"));
    auto wanted = fates(frames.size(), fate::goes_on);
    wanted[6] = wanted[7] = fate::dropped;
    EXPECT_EQ(bed.judge(frames, group), wanted);
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}}));
  }
}

// The rule names the direction of the bytes, not that of their acknowledgment.
TEST(discarded_stage, acknowledged_bytes_end_the_connection) {
  for (unsigned const group : {1U, 32U}) {
    stage_bed bed{
        "drop tcp 10.0.0.1 4000 -> 20.0.0.9 80 (flow:established,to_server; content:\"secret word\"; sid:1;)\n",
        with_streams};
    connection const tcp{4000};
    auto frames = tcp.handshake();
    frames.push_back(acknowledging(9, tcp.segment(0, 0, "secret ")));
    frames.push_back(acknowledging(9, tcp.segment(0, 7, "word")));
    frames.push_back(tcp.segment(1, 0, "an answer"));
    frames.push_back(acknowledging(11, tcp.segment(1, 9, {}, wire::tcp_flag::ack)));
    frames.push_back(acknowledging(9, tcp.segment(0, 11, "more")));
    auto wanted = fates(frames.size(), fate::goes_on);
    wanted[6] = wanted[7] = fate::dropped;
    EXPECT_EQ(bed.judge(frames, group), wanted);
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}}));
    EXPECT_EQ(bed.counts().segments.discarded, 2U);
  }
}

}  // namespace
}  // namespace packetwarp::test
