// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>

#include "inspection/connections.h"
#include "inspection/lanes.h"

namespace packetwarp::test {
namespace {

using inspection_parts::fate;

constexpr char drop_rule[] = "drop tcp any any -> any any (content:\"secret word\"; sid:1;)\n";

// A sender repeats what did not arrive: in the group of the first one, and later.
TEST(carried_verdicts, a_dropped_segment_is_dropped_again_and_ends_its_connection) {
  for (auto const said : {fate::dropped, fate::rejected}) {
    for (unsigned const lanes : {1U, 2U, 16U}) {
      stage_bed bed{
          said == fate::dropped ? drop_rule : "reject tcp any any -> any any (content:\"secret word\"; sid:1;)\n",
          judged_with_neighbours};
      connection const made{4000};
      auto frames = made.handshake();
      append(frames, made.segments(0, "GET /secret word HTTP/1.1\r\n\r\n", 13));
      frames.push_back(frames[4]);
      frames.push_back(made.segment(1, 0, "HTTP/1.1 200 OK\r\n\r\n"));
      frames.push_back(made.segment(0, 100, {}, wire::tcp_flag::rst));
      // The same ports again, and another connection.
      append(frames, made.handshake());
      frames.push_back(made.segment(0, 0, "GET / HTTP/1.1\r\n\r\n"));
      frames.push_back(connection{4001}.segment(0, 0, "GET / HTTP/1.1\r\n\r\n"));
      auto const fates = lanes == 1 ? bed.judge(frames, 32) : judged_by_lanes(bed, frames, lanes);
      EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}})) << lanes;
      std::vector<fate> wanted(frames.size(), fate::goes_on);
      for (std::size_t n = 4; n <= 8; ++n) wanted[n] = said;
      EXPECT_EQ(fates, wanted) << lanes;
      EXPECT_EQ(bed.counts().of_ended_connections, 4U) << lanes;
    }
  }
}

TEST(carried_verdicts, a_rule_for_packets_ends_no_connection) {
  stage_bed bed{
      "drop tcp-pkt any any -> any any (content:\"secret word\"; sid:1;)\n"
      "alert tcp any any -> any any (content:\"nothing\"; sid:2;)\n",
      judged_with_neighbours};
  connection const made{4000};
  auto frames = made.handshake();
  frames.push_back(made.segment(0, 0, "secret word"));
  frames.push_back(made.segment(0, 11, "other words"));
  frames.push_back(made.segment(0, 0, "secret word"));
  auto const fates = bed.judge(frames, 32);
  EXPECT_EQ(fates[3], fate::dropped);
  EXPECT_EQ(fates[4], fate::goes_on);
  EXPECT_EQ(fates[5], fate::dropped) << "a packet, also if its bytes have come before";
}

// Without a handshake there is no stream, so a segment decides about itself.
TEST(carried_verdicts, a_segment_that_is_judged_alone_ends_no_connection) {
  stage_bed bed{drop_rule, judged_with_neighbours};
  connection const made{4000};
  std::vector<frame_bytes> frames{made.segment(0, 0, "secret word"), made.segment(0, 11, "other words")};
  EXPECT_EQ(bed.judge(frames, 32), (std::vector{fate::dropped, fate::goes_on}));
}

// Two groups that are judged at once, each by a room of its own.
class two_groups : public testing::Test {
 protected:
  two_groups() {
    auto frames = made_.handshake();
    frames.push_back(made_.segment(0, 0, "the "));
    (void)bed_.judge(frames, 32);
    other_->marks = {};
  }
  [[nodiscard]] inspection_set const& set() const { return bed_.tables().root->sets[bed_.tables().root->in_force()]; }
  void begin(inspection::room& room, frame_bytes& frame) {
    inspection::gather(stage_bed::view_of_frame(frame), 0, bed_.hold(), room);
    inspection_parts::begin_group(one_, bed_.tables(), set(), room);
  }
  void end(inspection::room& room) {
    inspection_parts::trial_counts counted{};
    inspection_parts::detail::judge_alone(one_, bed_.tables(), set(), room, 0, counted);
    inspection_parts::end_group(one_, bed_.tables(), room, counted);
  }

  lone_lane one_{1};
  connection made_{4000};
  stage_bed bed_{drop_rule, judged_with_neighbours};
  std::unique_ptr<inspection::room> other_{std::make_unique<inspection::room>()};
};

TEST_F(two_groups, bytes_that_another_group_has_not_judged_yet_are_judged_by_both) {
  auto first = made_.segment(0, 4, "secret word");
  auto second = first;
  begin(bed_.room(), first);
  begin(*other_, second);
  end(*other_);
  EXPECT_EQ(other_->fates[0], fate::dropped);
  end(bed_.room());
  EXPECT_EQ(bed_.room().fates[0], fate::dropped);
}

TEST_F(two_groups, bytes_that_another_group_has_judged_meanwhile_have_their_fate) {
  auto first = made_.segment(0, 4, "secret word");
  auto second = first;
  inspection::gather(stage_bed::view_of_frame(second), 0, bed_.hold(), *other_);
  inspection_parts::follow_group(one_, bed_.tables(), *other_);
  begin(bed_.room(), first);
  end(bed_.room());
  other_->count = 1;
  other_->tcp = 1;
  inspection_parts::carry_streams(one_, bed_.tables(), set(), *other_);
  inspection_parts::read_heads(one_, bed_.tables(), set(), *other_);
  end(*other_);
  EXPECT_EQ(other_->fates[0], fate::dropped);
  bed_.read();
  EXPECT_EQ(bed_.alerts(), (alerts_by_sid{{1, 1}}));
  EXPECT_EQ(bed_.counts().of_ended_connections, 1U);
}

TEST(carried_heads, are_judged_once_if_their_segment_is_repeated) {
  for (unsigned const lanes : {1U, 4U}) {
    stage_bed bed{
        "alert http any any -> any any (http.uri; content:\"/evil\"; http.method; content:\"GET\"; sid:1;)\n"
        "alert tcp any any -> any any (content:\"tool|0d 0a 0d 0a|next\"; sid:2;)\n",
        judged_with_neighbours};
    connection const made{4000};
    std::string const head = "GET /%65vil HTTP/1.1\r\nUser-Agent: tool\r\n\r\n";
    auto frames = made.handshake();
    frames.push_back(made.segment(0, 0, head));
    frames.push_back(frames.back());
    frames.push_back(made.segment(0, static_cast<std::uint32_t>(head.size()), "next"));
    (void)(lanes == 1 ? bed.judge(frames, 32) : judged_by_lanes(bed, frames, lanes));
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}, {2, 1}})) << lanes;
    EXPECT_EQ(bed.counts().messages.messages, 1U);
  }
}

}  // namespace
}  // namespace packetwarp::test
