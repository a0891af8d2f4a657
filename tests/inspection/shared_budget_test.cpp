// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The bytes that the rules of a packet may look at, if several lanes try them: a stranger's packets that are equal to
// many rules for long cost a group little more than a single lane, and ordinary rules of the packets beside them are
// tried.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "inspection/lanes.h"

namespace packetwarp::test {
namespace {

constexpr std::size_t costly = 60;
[[nodiscard]] char end_of(std::size_t rule) { return static_cast<char>('b' + rule); }

// Each position of a text of "a" costs each of these rules so many bytes, and one more.
[[nodiscard]] std::string costly_rules(std::size_t bytes) {
  std::string text = "alert udp any any -> any any (content:\"stranger\"; sid:1000;)\n";
  for (std::size_t n = 0; n < costly; ++n) {
    text += fmt::format("alert udp any any -> any any (content:\"{}|{:02x}|\"; sid:{};)\n", std::string(bytes, 'a'),
                        static_cast<unsigned char>(end_of(n)), 1 + n);
  }
  return text;
}
// A text of `size` bytes, with the window of each of these rules at its end.
[[nodiscard]] std::string costly_text(std::size_t size) {
  std::string windows;
  for (std::size_t n = 0; n < costly; ++n) windows += "." + std::string(7, 'a') + end_of(n);
  return std::string(size - windows.size(), 'a') + windows;
}
[[nodiscard]] frame_bytes datagram_of(std::string const& text) {
  auto const* raw = reinterpret_cast<std::byte const*>(text.data());
  return packet_builder{}.eth().ipv4().udp(1, 2).payload(bytes{raw, raw + text.size()}).build();
}

using inspection_parts::effort;
using inspection_parts::shared_budget;

class budget_of_lanes : public testing::TestWithParam<unsigned> {
 protected:
  void judge(stage_bed& bed, std::vector<frame_bytes> frames) { (void)judged_by_lanes(bed, frames, GetParam()); }
};

TEST_P(budget_of_lanes, is_about_that_of_one_lane_for_packets_side_by_side) {
  // 560 positions of 301 bytes, and fewer at 300 others, are within the budget of a packet and leave too little for a
  // second rule.
  auto const rules = costly_rules(300);
  std::vector<frame_bytes> frames(GetParam(), datagram_of(costly_text(1400)));
  stage_bed alone{rules, judged_alone};
  (void)alone.judge(frames, 32);
  EXPECT_EQ(alone.counts().out_of_bytes, (costly - 1) * frames.size());
  stage_bed bed{rules, judged_alone};
  judge(bed, frames);
  // Lanes that are threads begin several rules of a packet at once. A lane that has spent much on other packets has few
  // bytes for the first rule of a packet, too: that is so for few packets.
  EXPECT_LE(bed.counts().out_of_bytes, alone.counts().out_of_bytes + GetParam() / 4);
  EXPECT_GE(bed.counts().out_of_bytes, (costly - GetParam()) * frames.size());
  EXPECT_EQ(bed.alerts(), alone.alerts());
}

TEST_P(budget_of_lanes, is_there_at_most_once_for_each_lane) {
  stage_bed bed{costly_rules(300), judged_alone};
  judge(bed, {datagram_of(costly_text(1400))});
  auto const spent = bed.counts().out_of_bytes;
  EXPECT_GE(spent, costly - GetParam());
  EXPECT_LT(spent, costly);
}

TEST_P(budget_of_lanes, is_the_same_for_a_packet_that_is_judged_alone) {
  // 2,000 bytes are more than a room has place for; 1,400 positions of 56 bytes cost a quarter of the budget.
  stage_bed bed{costly_rules(55), judged_alone};
  judge(bed, {datagram_of(costly_text(2000))});
  EXPECT_GE(bed.counts().out_of_bytes, costly - std::max(GetParam(), 5U));
  EXPECT_LT(bed.counts().out_of_bytes, costly);
}

TEST_P(budget_of_lanes, of_one_packet_is_no_others) {
  std::vector<frame_bytes> frames(GetParam() - 1, datagram_of(costly_text(1400)));
  frames.push_back(datagram_of("a stranger"));
  stage_bed bed{costly_rules(300), judged_alone};
  judge(bed, frames);
  EXPECT_GE(bed.counts().out_of_bytes, (costly - GetParam()) * (GetParam() - 1));
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1000, 1}}));
  judge(bed, {datagram_of("stranger again")});
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1000, 2}})) << "the next group has the room";
}

// Packets whose pairs with rules have no room are judged again: what their rules have spent until then is forgotten.
TEST(judged_again, packets_have_their_budget_again) {
  std::string rules = "alert udp any any -> any any (msg:\"each packet\"; sid:9;)\n";
  for (int n = 0; n < 9; ++n)
    rules += fmt::format("alert udp any any -> any any (content:\"match000\"; sid:{};)\n", 100 + n);
  rules += fmt::format("alert udp any any -> any any (content:\"heavy000\"; fast_pattern; content:\"{}z\"; sid:1;)\n",
                       std::string(220, 'a'));
  std::vector<frame_bytes> frames(16, datagram_of("match000"));
  frames.push_back(datagram_of("heavy000" + std::string(780, 'a') + "." + std::string(220, 'a') + "z"));
  stage_bed alone{rules, judged_alone};
  (void)alone.judge(frames, 32);
  ASSERT_EQ(alone.alerts().at(1), 1U);
  stage_bed bed{rules, judged_alone};
  (void)judged_by_lanes(bed, frames, 32);
  EXPECT_GT(bed.counts().candidates, alone.counts().candidates) << "none was judged again";
  EXPECT_EQ(bed.alerts(), alone.alerts());
  EXPECT_EQ(bed.counts().out_of_bytes, 0U);
}

// A packet that is judged alone by more rules than one round has: the rounds have one budget.
TEST_P(budget_of_lanes, is_spent_once_by_rules_of_several_rounds) {
  auto rules = fmt::format("alert udp any any -> any any (content:\"{}b\"; sid:1;)\n", std::string(130, 'a'));
  for (std::size_t n = 0; n < inspection_parts::rule_marks::rules; ++n)
    rules += fmt::format("alert udp any any -> any any (content:\"word{:05}\"; sid:{};)\n", n, 100 + n);
  rules += fmt::format("alert udp any any -> any any (content:\"{}z\"; sid:50000;)\n", std::string(30, 'a'));
  auto const tail = ".aaaaaaab." + std::string(30, 'a') + "z";
  stage_bed bed{rules, judged_alone};
  judge(bed, {datagram_of(std::string(1900 - tail.size(), 'a') + tail)});
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{50'000, 1}}));
  EXPECT_EQ(bed.counts().out_of_bytes, 0U);
}

// Packets that are judged alone, by one rule each, which the first lane tries.
TEST(group_of_floods, leaves_ordinary_rules_of_packets_beside_them_their_bytes) {
  auto const rules = fmt::format(
      "alert udp any any -> any any (content:\"{}b\"; sid:1;)\n"
      "alert udp any any -> any any (content:\"{}d\"; sid:2;)\n"
      "alert udp any any -> any any (content:\"stranger\"; sid:3;)\n",
      std::string(300, 'a'), std::string(20, 'c'));
  auto const ordinary = datagram_of(std::string(1900, '.') + "stranger");
  // 1,900 positions of 21 bytes.
  auto const long_one = datagram_of(std::string(1900, 'c') + "." + std::string(20, 'c') + "d");
  stage_bed calm{rules, judged_alone};
  std::vector<frame_bytes> few{long_one, ordinary};
  (void)judged_by_lanes(calm, few, 32);
  EXPECT_EQ(calm.alerts(), (alerts_by_sid{{2, 1}, {3, 1}}));
  std::vector<frame_bytes> frames(8, datagram_of(costly_text(2000)));
  frames.push_back(long_one);
  frames.push_back(ordinary);
  stage_bed bed{rules, judged_alone};
  (void)judged_by_lanes(bed, frames, 32);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{3, 1}})) << "the long one needs more than the lane has left";
  EXPECT_EQ(bed.counts().out_of_bytes, 9U);
}

// A rule that would spend `wanted` bytes.
[[nodiscard]] std::uint64_t spend(std::uint32_t* spent, inspection_parts::lane_work* by_lane, std::uint64_t wanted,
                                  effort how = effort::whole) {
  inspect::search_budget budget;
  shared_budget const shared{spent, by_lane, budget, how};
  auto const before = budget.left();
  budget.spend(wanted);
  return before - budget.left();
}

TEST(shared_budget, is_left_to_the_packets_next_rules) {
  constexpr std::uint64_t whole = inspect::search_budget::per_packet;
  std::uint32_t packet = 0;
  inspection_parts::lane_work lane{};
  inspection_parts::lane_work other{};
  EXPECT_EQ(spend(&packet, &lane, 1000), 1000U);
  EXPECT_EQ(spend(&packet, &other, whole), whole - 1000);
  EXPECT_EQ(spend(&packet, &lane, 1), 0U);
  EXPECT_EQ(lane.bytes, 1000U);
  EXPECT_EQ(other.bytes, whole - 1000);
}

TEST(shared_budget, leaves_a_lane_few_bytes_once_it_has_spent_much_on_a_group) {
  inspection_parts::lane_work lane{};
  std::uint64_t costs = 0;
  for (int n = 0; n < 2; ++n) {
    std::uint32_t packet = 0;
    costs += spend(&packet, &lane, ~std::uint64_t{0});
  }
  EXPECT_EQ(costs, shared_budget::most_of_lane);
  std::uint32_t packet = 0;
  EXPECT_EQ(spend(&packet, &lane, 7000), 7000U) << "an ordinary rule of a packet beside those";
  EXPECT_EQ(spend(&packet, &lane, ~std::uint64_t{0}), shared_budget::few);
  EXPECT_EQ(spend(nullptr, &lane, ~std::uint64_t{0}), shared_budget::few) << "of a group without a room";
}

TEST(shared_budget, leaves_few_bytes_to_a_little_effort_and_none_is_spent_if_the_rule_is_tried_again) {
  std::uint32_t packet = 0;
  inspection_parts::lane_work lane{};
  EXPECT_EQ(spend(&packet, &lane, ~std::uint64_t{0}, effort::little), shared_budget::few);
  EXPECT_EQ(packet, shared_budget::few);
  packet = 0;
  {
    inspect::search_budget budget;
    shared_budget shared{&packet, &lane, budget, effort::little};
    budget.spend(1000);
    EXPECT_TRUE(budget.take_steps(shared_budget::few_steps - 1));
    EXPECT_FALSE(budget.take_steps(2));
    EXPECT_TRUE(budget.lacks_steps());
    shared.forget();
  }
  EXPECT_EQ(packet, 0U);
  EXPECT_EQ(lane.bytes, shared_budget::few);
  EXPECT_EQ(lane.tried, 1000U);
  lane.tried = shared_budget::most_of_lane;
  EXPECT_EQ(spend(&packet, &lane, ~std::uint64_t{0}, effort::little), shared_budget::fewest);
}

TEST(lane_work, shares_a_groups_time_out_to_its_packets) {
  inspection_parts::lane_work lane{.bytes = 0, .tried = 0, .begun = 1000, .until = 0};
  constexpr auto least = 1000 + inspection_parts::lane_work::of_all;
  constexpr auto more = inspection_parts::lane_work::between_packets;
  lane.share_time(8, 32);
  EXPECT_EQ(lane.until, least + more / 4);
  lane.share_time(32, 32);
  EXPECT_EQ(lane.until, least + more);
  lane.share_time(1, 1);
  EXPECT_EQ(lane.until, least + more);
}

TEST(shared_budget, is_no_matter_of_a_single_lane) {
  std::uint32_t packet = 77;
  EXPECT_EQ(spend(&packet, nullptr, 5000), 5000U);
  EXPECT_EQ(packet, 77U);
}

INSTANTIATE_TEST_SUITE_P(lanes, budget_of_lanes, testing::Values(2U, 5U, 32U),
                         [](auto const& one) { return fmt::format("{}_lanes", one.param); });

}  // namespace
}  // namespace packetwarp::test
