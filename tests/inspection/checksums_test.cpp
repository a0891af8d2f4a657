// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "inspection/connection.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {
namespace {

[[nodiscard]] inspection_sizes sizes_with(wire::checksum_handling how) {
  inspection_sizes made{.flows = 64, .rates = 64};
  made.checksums = how;
  return made;
}
[[nodiscard]] frame_bytes damaged(frame_bytes frame) {
  frame.back() ^= std::byte{1};
  return frame;
}

constexpr char rules[] = "alert tcp any any -> any 80 (content:\"a secret word\"; sid:1;)\n";

// Forged segments in a connection: bytes of a segment that comes later, a reset, and an answer of another connection.
[[nodiscard]] std::vector<frame_bytes> attacked() {
  using namespace wire::tcp_flag;
  connection const one{4000};
  auto frames = one.handshake();
  frames.push_back(one.segment(0, 0, "a secret "));
  frames.push_back(damaged(one.segment(0, 9, "door.")));
  frames.push_back(damaged(one.segment(1, 0, "x", rst | ack)));
  frames.push_back(damaged(one.segment(1, 5000, "x", syn | ack)));
  frames.push_back(one.segment(0, 9, "word."));
  return frames;
}

TEST(checksums, of_forged_segments_keep_these_out_of_their_connection) {
  for (unsigned const group : {1U, 3U, 32U}) {
    auto frames = attacked();
    stage_bed bed{rules, sizes_with(wire::checksum_handling::verify)};
    (void)bed.judge(frames, group);
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}})) << group;
    EXPECT_EQ(bed.counts().wrong_checksums, 3U);
    EXPECT_EQ(bed.counts().segments.differing, 0U);
  }
}

TEST(checksums, are_not_looked_at_unless_this_is_asked_for) {
  auto frames = attacked();
  stage_bed bed{rules, sizes_with(wire::checksum_handling::ignore)};
  (void)bed.judge(frames, 32);
  EXPECT_EQ(bed.alerts(), alerts_by_sid{});
  EXPECT_EQ(bed.counts().wrong_checksums, 0U);
}

TEST(checksums, a_wrong_one_leaves_a_packet_to_rules_of_packets) {
  connection const one{4000};
  auto frames = one.handshake();
  frames.push_back(damaged(one.segment(0, 0, "this is a secret word.")));
  stage_bed bed{rules, sizes_with(wire::checksum_handling::verify)};
  (void)bed.judge(frames, 32);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}}));
}

}  // namespace
}  // namespace packetwarp::test
