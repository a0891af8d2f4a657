// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "inspect/conversation.h"

// The alerts beside rules with `bypass` are worked out by hand.
namespace packetwarp::inspect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char bypass_rules[] =
    "pass tcp any any -> any any (content:\"big file\"; bypass; sid:1;)\n"
    "alert tcp any any -> any any (content:\"bad\"; sid:2;)\n"
    "alert tcp any any -> any any (content:\"movie\"; bypass; sid:3;)\n";

TEST(bypass, later_packets_of_the_flow_are_not_judged_in_either_direction) {
  conversation all{bypass_rules};
  EXPECT_THAT(all.client("bad"), ElementsAre(2));
  EXPECT_THAT(all.client("a movie, and bad"), ElementsAre(2, 3)) << "its own packet is judged to the end";
  EXPECT_THAT(all.client("bad"), IsEmpty());
  EXPECT_THAT(all.server("bad"), IsEmpty());
  EXPECT_EQ(all.state().counts().bypassed, 2U);
  EXPECT_EQ(all.state().counts().flows_bypassed, 1U);
}

TEST(bypass, follows_from_a_stream_and_ends_it) {
  conversation all{bypass_rules};
  EXPECT_THAT(all.client("GET /a big "), IsEmpty());
  EXPECT_EQ(all.state().streams().size(), 1U);
  EXPECT_THAT(all.client("file bad"), IsEmpty()) << "passed";
  EXPECT_EQ(all.state().streams().size(), 0U);
  EXPECT_EQ(all.state().streams().bytes(), 0U);
  EXPECT_THAT(all.client("ba"), IsEmpty());
  EXPECT_THAT(all.client("d"), IsEmpty());
  EXPECT_EQ(all.state().streams().size(), 0U) << "no stream begins for a bypassed flow";
  EXPECT_EQ(all.state().counts().bypassed, 2U);
}

TEST(bypass, other_flows_go_on_and_a_new_connection_of_the_same_ports_is_judged) {
  conversation all{bypass_rules};
  EXPECT_THAT(all.client("movie"), ElementsAre(3));
  all.begin(4001);
  EXPECT_THAT(all.client("bad"), ElementsAre(2));
  all.use_port(4000);
  EXPECT_THAT(all.see(0, 0xffff'ffff, {}, wire::tcp_flag::syn), IsEmpty());
  EXPECT_THAT(all.client("bad"), IsEmpty()) << "the server has not answered";
  all.begin(4000);
  EXPECT_THAT(all.client("bad"), ElementsAre(2));
}

TEST(bypass, happens_at_a_match_that_thresholds_and_noalert_keep_back) {
  conversation all{
      "alert tcp any any -> any any (content:\"rare\"; threshold:type threshold, track by_src, count 9, seconds 60; "
      "bypass; sid:1;)\n"
      "alert tcp any any -> any any (content:\"quiet\"; noalert; bypass; sid:2;)\n"
      "alert tcp any any -> any any (content:\"bad\"; sid:3;)\n"};
  EXPECT_THAT(all.client("rare"), IsEmpty());
  EXPECT_THAT(all.client("bad"), IsEmpty());
  all.begin(4001);
  EXPECT_THAT(all.client("quiet"), IsEmpty());
  EXPECT_THAT(all.client("bad"), IsEmpty());
  EXPECT_EQ(all.state().counts().flows_bypassed, 2U);
}

TEST(bypass, needs_a_match_of_the_whole_rule) {
  conversation all{
      "alert tcp any any -> any any (content:\"movie\"; flowbits:isset,paid; bypass; sid:1;)\n"
      "alert tcp any any -> any any (content:\"bad\"; sid:2;)\n"};
  EXPECT_THAT(all.client("movie"), IsEmpty());
  EXPECT_THAT(all.client("bad"), ElementsAre(2));
  EXPECT_EQ(all.state().counts().flows_bypassed, 0U);
}

TEST(bypass, has_no_value) {
  rule_set made;
  add_rules(made, "my.rules", "alert tcp any any -> any any (bypass:yes; sid:1;)\n", variables{});
  ASSERT_EQ(made.problems.size(), 1U);
  EXPECT_THAT(made.problems.front(), testing::StartsWith("my.rules:1:"));
}

}  // namespace
}  // namespace packetwarp::inspect
