// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"
#include "inspection/connections.h"
#include "inspection/random_packets.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {
namespace {

using inspection_parts::fate;

[[nodiscard]] inspect::inspector inspector_of(stage_bed const& of) {
  return {of.compiled(), of.rules().rules.size(), inspection_key, {.flows = 65'536, .rates = 65'536}};
}

TEST(bypass_stage, gives_the_inspectors_alerts_and_counts_in_groups_of_every_size) {
  auto frames = random_packets(3000, 11);
  for (auto const& sizes : {inspection_sizes{.flows = 65'536, .rates = 65'536}, judged_alone}) {
    for (unsigned const group : {1U, 2U, 5U, 31U, 32U}) {
      stage_bed bed{fmt::format("{}{}", rules_of_all_kinds, rules_that_bypass), sizes};
      (void)bed.judge(frames, group);
      auto judge = inspector_of(bed);
      EXPECT_EQ(bed.alerts(), alerts_of(judge, bed, frames)) << "groups of " << group;
      EXPECT_EQ(bed.counts().bypassed, judge.counts().bypassed) << "groups of " << group;
      EXPECT_EQ(bed.counts().flows_bypassed, judge.counts().flows_bypassed);
      EXPECT_GT(bed.counts().bypassed, 300U);
      EXPECT_GT(bed.counts().flows_bypassed, 20U) << "flows begin anew, and are bypassed again";
    }
  }
}

TEST(bypass_stage, gives_the_inspectors_alerts_with_streams) {
  auto frames = interleaved(random_connections(200, 12));
  auto const text = std::string{rules_for_streams} +
                    "alert http any any -> any any (http.request_body; content:\"password=abc\"; bypass; sid:101;)\n"
                    "alert tcp any any -> any any (content:\"secret word\"; bypass; noalert; sid:102;)\n";
  for (unsigned const group : {1U, 7U, 32U}) {
    stage_bed bed{text};
    (void)bed.judge(frames, group);
    auto judge = inspector_of(bed);
    EXPECT_EQ(bed.alerts(), alerts_of(judge, bed, frames)) << "groups of " << group;
    EXPECT_EQ(bed.counts().bypassed, judge.counts().bypassed);
    EXPECT_GT(bed.counts().bypassed, 100U);
    EXPECT_EQ(bed.counts().segments, judge.segments());
    EXPECT_EQ(bed.table().streams().streams, judge.streams().size());
    EXPECT_EQ(bed.table().streams().bytes, judge.streams().bytes());
  }
}

// All in one group: what a packet decides holds for those after it, and not for a flow that one of them begins.
TEST(bypass_stage, in_a_group_it_ends_with_its_flow) {
  for (auto const& sizes : {inspection_sizes{.flows = 64, .rates = 64}, judged_alone}) {
    stage_bed bed{
        "alert tcp-pkt any any -> any any (content:\"movie\"; bypass; sid:1;)\n"
        "alert tcp-pkt any any -> any any (content:\"bad\"; sid:2;)\n",
        sizes};
    connection const made{4000};
    connection const other{4001};
    auto frames = made.handshake();
    frames.push_back(made.segment(0, 0, "movie bad"));
    frames.push_back(made.segment(1, 0, "bad"));
    frames.push_back(other.segment(1, 0, "bad"));
    frames.push_back(made.segment(0, 9, "bad", wire::tcp_flag::rst));
    append(frames, made.handshake());
    frames.push_back(made.segment(0, 0, "bad"));
    (void)bed.judge(frames, 32);
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}, {2, 3}}));
    EXPECT_EQ(bed.counts().bypassed, 2U);
    EXPECT_EQ(bed.counts().flows_bypassed, 1U);
    frames = {made.segment(0, 3, "bad")};
    (void)bed.judge(frames, 1);
    EXPECT_EQ(bed.counts().bypassed, 2U) << "the connection after it is another one";
  }
}

TEST(bypass_stage, a_packet_that_is_dropped_bypasses_nothing) {
  for (auto const& sizes : {inspection_sizes{.flows = 64, .rates = 64}, judged_alone}) {
    stage_bed bed{
        "drop udp any any -> any any (content:\"evil\"; bypass; sid:1;)\n"
        "alert udp any any -> any any (content:\"evil\"; bypass; sid:2;)\n",
        sizes};
    auto const evil = packet_builder{}.eth().ipv4().udp(1, 2).payload(to_bytes({'e', 'v', 'i', 'l'})).build();
    std::vector<frame_bytes> frames{evil, evil};
    EXPECT_EQ(bed.judge(frames, 32), (std::vector{fate::dropped, fate::dropped}));
    EXPECT_EQ(bed.counts().bypassed, 0U);
    EXPECT_EQ(bed.counts().flows_bypassed, 0U);
  }
}

// Two messages of one segment: the first one bypasses the flow, the second one is dropped. A repetition must not pass.
TEST(bypass_stage, a_connection_that_a_rule_has_ended_stays_so) {
  stage_bed bed{
      "alert http any any -> any any (http.uri; content:\"/movie\"; bypass; sid:1;)\n"
      "drop http any any -> any any (http.uri; content:\"/evil\"; sid:2;)\n"};
  connection const made{4000};
  auto frames = made.handshake();
  frames.push_back(made.segment(0, 0, "GET /movie HTTP/1.1\r\n\r\nGET /evil HTTP/1.1\r\n\r\n"));
  frames.push_back(frames.back());
  auto const fates = bed.judge(frames, 32);
  EXPECT_EQ(fates[3], fate::dropped);
  EXPECT_EQ(fates[4], fate::dropped);
  EXPECT_EQ(bed.counts().of_ended_connections, 1U);
}

TEST(bypass_stage, stays_over_a_change_of_rules) {
  stage_bed bed{"alert udp any any -> any any (content:\"movie\"; bypass; sid:1;)\n"};
  auto const movie = packet_builder{}.eth().ipv4().udp(1, 2).payload(to_bytes({'m', 'o', 'v', 'i', 'e'})).build();
  std::vector<frame_bytes> frames{movie};
  (void)bed.judge(frames, 1);
  bed.table().prepare({.rules = bed.compiled(), .count = bed.rules().rules.size()},
                      make_regex_engines(bed.compiled(), 1));
  bed.table().publish();
  (void)bed.judge(frames, 1);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}}));
  EXPECT_EQ(bed.counts().bypassed, 1U);
}

}  // namespace
}  // namespace packetwarp::test
