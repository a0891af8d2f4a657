// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "inspection/lanes.h"
#include "inspection/random_packets.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {
namespace {

using inspection_parts::fate;

TEST(inspection_group, gives_the_inspectors_alerts_in_groups_of_every_size) {
  auto frames = random_packets(3000, 1);
  for (unsigned const group : {1U, 2U, 5U, 31U, 32U}) {
    stage_bed bed{rules_of_all_kinds};
    (void)bed.judge(frames, group);
    auto const wanted = alerts_of_inspector(bed, frames);
    EXPECT_EQ(bed.alerts(), wanted) << "groups of " << group;
    EXPECT_GE(wanted.size(), 11U) << "a rule of each kind has matched";
    EXPECT_EQ(bed.counts().packets, frames.size());
  }
}

// As on a GPU, whose lanes have no streams.
TEST(inspection_group, gives_the_inspectors_alerts_for_packets_alone) {
  auto frames = random_packets(3000, 1);
  stage_bed bed{rules_of_all_kinds, judged_alone};
  (void)bed.judge(frames, 32);
  EXPECT_EQ(bed.alerts(), alerts_of_inspector(bed, frames));
  EXPECT_EQ(bed.counts().unjudged_streams, 0U) << "no rule is for streams";
}

TEST(inspection_group, drops_and_rejects_by_the_first_rule_that_decides) {
  stage_bed bed{
      "alert tcp-pkt any any -> any any (content:\"both\"; sid:1;)\n"
      "reject tcp-pkt any any -> any any (content:\"both\"; sid:2;)\n"
      "drop tcp-pkt any any -> any any (content:\"both\"; sid:3;)\n"
      "pass tcp-pkt any any -> any any (content:\"fine\"; sid:4;)\n"
      "reject tcp-pkt any any -> any any (content:\"back\"; noalert; sid:5;)\n"};
  auto const with = [](char const* text) {
    bytes payload;
    for (auto const* at = text; *at != 0; ++at) payload.push_back(static_cast<std::byte>(*at));
    return packet_builder{}.eth().ipv4().tcp(1, 2).payload(payload).build();
  };
  std::vector<frame_bytes> frames{with("both"), with("both fine"), with("back"), with("none")};
  EXPECT_EQ(bed.judge(frames, 32), (std::vector{fate::dropped, fate::goes_on, fate::rejected, fate::goes_on}));
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}, {2, 1}, {3, 1}}));
  auto const counts = bed.counts();
  EXPECT_EQ(counts.dropped, 1U);
  EXPECT_EQ(counts.rejected, 1U);
  EXPECT_EQ(counts.passed, 1U);
}

TEST(inspection_group, goes_through_more_rules_than_a_round_has) {
  std::string text;
  for (unsigned n = 1; n <= 20'000; ++n)
    text += fmt::format("alert tcp any any -> any any (content:\"word{:05}\"; sid:{};)\n", n, n);
  stage_bed bed{text, judged_alone};
  std::string payload = "word00001 word08192 word08193 word16384 word16385 word20000 word20001";
  bytes raw;
  for (char const c : payload) raw.push_back(static_cast<std::byte>(c));
  std::vector<frame_bytes> frames{packet_builder{}.eth().ipv4().tcp(1, 2).payload(raw).build()};
  (void)bed.judge(frames, 1);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}, {8192, 1}, {8193, 1}, {16384, 1}, {16385, 1}, {20000, 1}}));
}

// Rules without a literal that lie side by side, so that their marks are in few words; some match.
[[nodiscard]] std::string rules_about_sizes(unsigned count) {
  std::string text;
  for (unsigned n = 0; n < count; ++n)
    text += fmt::format("alert ip any any -> any any (dsize:{}; sid:{};)\n", n % 6, 5000 + n);
  return text;
}

// The lanes' parts of the work, and the data that they hand to each other: without a GPU this is all of it that runs.
// The rules about sizes have room in a group's list, or for its first packets only, or for none.
TEST(inspection_group, gives_the_same_by_several_lanes) {
  constexpr unsigned lanes = 4;
  auto frames = random_packets(lanes * 50 - 1, 7);
  for (unsigned const sizes : {0U, 12U, 100U, 300U}) {
    auto const rules = std::string{rules_of_all_kinds} + rules_that_bypass + rules_about_sizes(sizes);
    stage_bed alone{rules, judged_alone};
    auto const wanted = alone.judge(frames, lanes);
    stage_bed bed{rules, judged_alone};
    EXPECT_EQ(judged_by_lanes(bed, frames, lanes), wanted) << sizes;
    EXPECT_EQ(bed.alerts(), alone.alerts()) << sizes;
    EXPECT_EQ(bed.counts().candidates, alone.counts().candidates);
    EXPECT_EQ(bed.counts().cut_short, alone.counts().cut_short);
    EXPECT_EQ(bed.counts().fragments, alone.counts().fragments);
    EXPECT_EQ(bed.counts().bypassed, alone.counts().bypassed);
    EXPECT_GT(bed.counts().bypassed, 0U);
  }
}

// A group has room for pairs of its packets and rules (rule_pairs.h): all, those of some packets, or not even those of
// one. A payload that is too long for the room stands between packets that are judged together.
TEST(inspection_group, judges_a_packet_alone_whose_rules_have_no_room) {
  constexpr unsigned lanes = 8;
  for (unsigned const count : {20U, 60U, 120U, 300U}) {
    std::string text{rules_that_bypass};
    for (unsigned n = 0; n < count; ++n) {
      text += fmt::format("{} udp any any -> any any (content:\"evil\"; dsize:>{}; flowbits:{},b{}; sid:{};)\n",
                          n % 7 == 6 ? "drop" : "alert", n % 30, n % 2 == 0 ? "set" : "isset", n / 2 % 9, n + 1);
    }
    auto frames = random_packets(150, 5);
    for (unsigned n = 3; n < frames.size(); n += 13) {
      bytes long_payload(1800, std::byte{'.'});
      for (unsigned i = 0; i < 4; ++i) long_payload[100 + i] = static_cast<std::byte>("evil"[i]);
      frames[n] = packet_builder{}.eth().ipv4("10.0.0.1", "20.0.0.9").udp(4000, 80).payload(long_payload).build();
    }
    stage_bed alone{text, judged_alone};
    auto const wanted = alone.judge(frames, lanes);
    stage_bed bed{text, judged_alone};
    EXPECT_EQ(judged_by_lanes(bed, frames, lanes), wanted) << count;
    EXPECT_EQ(bed.alerts(), alone.alerts()) << count;
    EXPECT_GE(bed.alerts().size(), count / 3);
    EXPECT_EQ(bed.counts().dropped, alone.counts().dropped);
    EXPECT_EQ(bed.counts().bypassed, alone.counts().bypassed);
  }
}

// More positions begin a literal than lanes can hand to each other at once.
TEST(inspection_group, finds_literals_at_more_positions_than_a_group_has_room_for) {
  std::string text;
  for (char const* word : {"abcd", "bcdabcda", "cdab", "dabcdabc", "abcdabcdabcdz"}) {
    text += fmt::format("alert udp any any -> any any (content:\"{}\"; sid:{};)\n", word, text.size() + 1);
  }
  bytes payload;
  for (unsigned n = 0; n < 1400; ++n) payload.push_back(static_cast<std::byte>("abcd"[n % 4]));
  std::vector<frame_bytes> frames;
  for (unsigned n = 0; n < 3; ++n) {
    frames.push_back(packet_builder{}.eth().ipv4().udp(1, 2).payload(payload).build());
    payload.push_back(static_cast<std::byte>(n == 0 ? 'z' : '.'));
  }
  stage_bed alone{text, judged_alone};
  auto const wanted = alone.judge(frames, 3);
  stage_bed bed{text, judged_alone};
  EXPECT_EQ(judged_by_lanes(bed, frames, joint_packets), wanted);
  EXPECT_EQ(bed.alerts(), alone.alerts());
  EXPECT_GE(bed.alerts().size(), 4U);
  EXPECT_EQ(bed.counts().candidates, alone.counts().candidates);
}

TEST(inspection_group, literals_of_the_rules_in_force_are_searched) {
  auto const rule = [](std::string const& word) {
    return "drop udp any any -> any any (content:\"" + word + "\"; sid:1;)\n";
  };
  for (auto const& sizes : {judged_alone, inspection_sizes{.flows = 65'536, .rates = 65'536}}) {
    stage_bed bed{rule("first"), sizes};
    auto const frame_with = [](std::string const& word) {
      bytes payload;
      for (char const c : word) payload.push_back(static_cast<std::byte>(c));
      return packet_builder{}.eth().ipv4().udp(1, 2).payload(payload).build();
    };
    std::vector<frame_bytes> frames{frame_with("a first word"), frame_with("a second word")};
    EXPECT_EQ(bed.judge(frames, 2), (std::vector{fate::dropped, fate::goes_on}));
    inspect::rule_set other;
    inspect::add_rules(other, "other.rules", rule("second"), inspect::variables{});
    auto const compiled = inspect::compile_rules(other);
    bed.table().prepare({.rules = compiled, .count = other.rules.size()}, make_regex_engines(compiled, 1));
    bed.table().publish();
    EXPECT_EQ(bed.judge(frames, 2), (std::vector{fate::goes_on, fate::dropped}));
  }
}

TEST(inspection_group, is_counted_by_what_became_of_its_packets) {
  std::string const rules =
      "drop udp any any -> any 1 (msg:\"dropped\"; sid:1;)\nreject udp any any -> any 2 (msg:\"rejected\"; sid:2;)\n";
  auto const counted = [&](unsigned others, unsigned dropped, unsigned rejected) {
    std::vector<frame_bytes> frames;
    for (unsigned n = 0; n < others; ++n) frames.push_back(packet_builder{}.eth().payload(bytes(46)).build());
    for (unsigned n = 0; n < dropped; ++n)
      frames.push_back(packet_builder{}.eth().ipv4().udp(static_cast<std::uint16_t>(100 + n), 1).build());
    for (unsigned n = 0; n < rejected; ++n)
      frames.push_back(packet_builder{}.eth().ipv4().udp(static_cast<std::uint16_t>(100 + n), 2).build());
    stage_bed bed{rules, judged_alone};
    (void)judged_by_lanes(bed, frames, joint_packets);
    auto const counts = bed.counts();
    EXPECT_EQ(counts.packets, others + dropped + rejected);
    EXPECT_EQ(counts.without_ip, others);
    EXPECT_EQ(counts.dropped, dropped);
    EXPECT_EQ(counts.rejected, rejected);
  };
  counted(32, 0, 0);
  counted(0, 32, 0);
  counted(0, 0, 32);
  counted(20, 7, 5);
}

TEST(inspection_group, counts_packets_whose_extension_headers_are_too_many) {
  auto const with = [](unsigned extensions) {
    auto builder = packet_builder{}.eth().ipv6();
    for (unsigned n = 0; n < extensions; ++n) builder.destination_options();
    return builder.udp(1, 2).payload(bytes(8)).build();
  };
  std::vector<frame_bytes> frames{with(0), with(8), with(9), with(1), with(12)};
  stage_bed bed{"drop udp any any -> any 2 (sid:1;)\n", judged_alone};
  EXPECT_EQ(judged_by_lanes(bed, frames, joint_packets),
            (std::vector{fate::dropped, fate::dropped, fate::goes_on, fate::dropped, fate::goes_on}));
  EXPECT_EQ(bed.counts().unread_extensions, 2U);
}

}  // namespace
}  // namespace packetwarp::test
