// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fixtures/packet_builder.h"
#include "inspection/lanes.h"

namespace packetwarp::test {
namespace {

using inspection_parts::fate;

[[nodiscard]] frame_bytes datagram(std::string_view text, std::uint16_t port = 1000) {
  bytes payload(text.size());
  for (std::size_t n = 0; n < text.size(); ++n) payload[n] = static_cast<std::byte>(text[n]);
  return packet_builder{}.eth().ipv4().udp(4000, port).payload(payload).build();
}

// A question of DNS for example.net.
constexpr std::string_view question{"\x12\x34\x01\0\0\1\0\0\0\0\0\0\7example\3net\0\0\1\0\1", 29};

// Back-references, which no automaton has.
constexpr char const* late_rules =
    "alert udp any any -> any any (content:\"key=\"; pcre:\"/key=(\\w+),.*\\1!/\"; sid:1;)\n"
    "alert udp any any -> any any (content:\"key=\"; pcre:!\"/(\\w)\\1/\"; sid:2;)\n"
    "drop udp any any -> any any (content:\"key=\"; pcre:\"/^(k)ey=(.)\\2/\"; sid:3;)\n"
    "alert dns any any -> any any (dns.query; pcre:\"/^(e).*\\1/\"; sid:4;)\n"
    "alert udp any any -> any any (content:\"key=\"; flowbits:isset,seen; pcre:\"/(k).*\\1/\"; sid:5;)\n"
    "alert udp any any -> any any (content:\"mark\"; flowbits:set,seen; flowbits:noalert; sid:6;)\n";

// Rules that change how later packets are judged cannot be judged later.
constexpr char const* unjudged_rules =
    "pass udp any any -> any any (content:\"key=\"; pcre:\"/key=(.)\\1/\"; sid:11;)\n"
    "alert udp any any -> any any (content:\"key=\"; pcre:\"/key=(.)\\1/\"; flowbits:set,other; sid:12;)\n"
    "alert udp any any -> any any (content:\"key=\"; pcre:\"/key=(.)\\1/\"; bypass; sid:13;)\n"
    "alert udp any any -> any any (content:\"key=\"; pcre:\"/key=(.)\\1/\"; threshold:type limit, track by_src, "
    "count 1, seconds 60; sid:14;)\n";

[[nodiscard]] std::vector<frame_bytes> packets_with_keys() {
  return {datagram("key=abc, then abc!"),
          datagram("key=abc, then abd!"),
          datagram("key=bb"),
          datagram("no k ey"),
          datagram("mark"),
          datagram("key=k"),
          datagram("key=xyz"),
          datagram(question, 53),
          datagram("key=aab, aab!")};
}

TEST(late_expressions, are_decided_by_the_cpu_as_at_once) {
  for (unsigned const lanes : {1U, 4U}) {
    auto frames = packets_with_keys();
    stage_bed at_once{late_rules, judged_alone};
    (void)at_once.judge(frames, 16);
    stage_bed bed{late_rules, judged_alone, 1, expressions::later};
    auto const fates = lanes == 1 ? bed.judge(frames, 16) : judged_by_lanes(bed, frames, lanes);
    EXPECT_EQ(bed.alerts(), at_once.alerts()) << lanes;
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 2}, {2, 4}, {3, 2}, {4, 1}, {5, 1}})) << lanes;
    EXPECT_EQ(fates, std::vector<fate>(frames.size(), fate::goes_on)) << "the packets have gone";
    EXPECT_EQ(bed.counts().unjudged_regexes, 0U);
    EXPECT_GT(bed.late_packets(), 10U);
  }
}

// Expressions with automata, and one whose match says where the next check begins.
constexpr char const* regular_rules =
    "alert udp any any -> any any (content:\"key=\"; pcre:\"/key=\\w{3}\\b/\"; sid:21;)\n"
    "alert udp any any -> any any (content:\"key=\"; pcre:\"/^[a-c]+($|,)/R\"; sid:22;)\n"
    "alert udp any any -> any any (content:\"key=\"; pcre:!\"/B\\.*|k\\./i\"; sid:23;)\n"
    "drop udp any any -> any any (content:\"key=\"; pcre:\"/^k.{2}=(aa|b)b/\"; sid:24;)\n"
    "alert dns any any -> any any (dns.query; pcre:\"/^e[^.]+\\.(net|org)$/\"; sid:25;)\n"
    "alert udp any any -> any any (content:\"key=\"; pcre:\"/a[^z]{20,}|[,] */\"; content:\"a\"; distance:0; "
    "sid:26;)\n";

TEST(late_expressions, with_automata_are_decided_at_once) {
  for (unsigned const lanes : {1U, 4U}) {
    auto frames = packets_with_keys();
    stage_bed by_engine{regular_rules, judged_alone};
    auto const wanted = by_engine.judge(frames, 16);
    stage_bed bed{regular_rules, judged_alone, 1, expressions::later};
    EXPECT_EQ(lanes == 1 ? bed.judge(frames, 16) : judged_by_lanes(bed, frames, lanes), wanted) << lanes;
    EXPECT_EQ(bed.alerts(), by_engine.alerts()) << lanes;
    EXPECT_EQ(bed.alerts().size(), 6U) << "each rule has matched";
    EXPECT_EQ(std::count(wanted.begin(), wanted.end(), fate::dropped), 2);
    EXPECT_EQ(bed.late_packets(), 6U) << "of the rule without an automaton";
  }
}

// A check between them leaves the end of the expression's match where it is.
TEST(late_expressions, to_whose_match_a_later_check_is_relative_have_no_automaton) {
  stage_bed bed{
      "alert udp any any -> any any (content:\"key\"; pcre:\"/[0-9]+/\"; isdataat:3; content:\"key\"; distance:0; "
      "sid:31;)\n"
      "alert udp any any -> any any (content:\"key\"; pcre:\"/[0-9]+/\"; content:!\"x\"; isdataat:!1,relative; "
      "sid:32;)\n"
      "alert udp any any -> any any (content:\"key\"; pcre:\"/[0-9]+/\"; content:\"a\"; content:\"b\"; distance:0; "
      "sid:33;)\n",
      judged_alone, 1, expressions::later};
  std::vector<frame_bytes> frames{datagram("key=12, key"), datagram("key=12, ab"), datagram("key=12")};
  (void)bed.judge(frames, 16);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{31, 1}, {32, 1}, {33, 1}}));
  EXPECT_EQ(bed.late_packets(), 6U) << "of the first two rules";
}

TEST(late_expressions, of_rules_that_change_what_follows_are_counted) {
  std::vector<frame_bytes> frames{datagram("key=bb"), datagram("key=ab")};
  stage_bed bed{unjudged_rules, judged_alone, 1, expressions::later};
  (void)bed.judge(frames, 2);
  EXPECT_EQ(bed.alerts(), alerts_by_sid{});
  EXPECT_EQ(bed.counts().unjudged_regexes, 8U);
  EXPECT_EQ(bed.late_packets(), 0U);
}

TEST(late_expressions, of_payloads_beyond_the_room_are_counted) {
  using inspection_parts::late_packet;
  std::vector<frame_bytes> frames{datagram("key=aa" + std::string(late_packet::most - 6, '.')),
                                  datagram("key=aa" + std::string(late_packet::most - 5, '.'))};
  stage_bed bed{late_rules, judged_alone, 1, expressions::later};
  (void)bed.judge(frames, 2);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{3, 1}}));
  EXPECT_EQ(bed.counts().unjudged_regexes, 3U);
}

TEST(late_expressions, beyond_the_ring_are_counted_and_others_go_on) {
  constexpr unsigned more = 9;
  std::vector<frame_bytes> frames(late_journal::records + more, datagram("key=zz"));
  frames.push_back(datagram("mark"));
  stage_bed bed{
      "alert udp any any -> any any (content:\"key=\"; pcre:\"/(z)\\1/\"; sid:1;)\n"
      "alert udp any any -> any any (content:\"mark\"; sid:2;)\n",
      judged_alone, 1, expressions::later};
  std::vector<fate> fates;
  for (std::size_t n = 0; n < frames.size(); n += joint_packets) {
    auto const left = std::min<std::size_t>(frames.size() - n, joint_packets);
    bed.judge_group({frames.data() + n, left}, 0, bed.room(), fates);
  }
  bed.read();
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, late_journal::records}, {2, 1}}));
  EXPECT_EQ(bed.table().late()->lost(), more);
}

}  // namespace
}  // namespace packetwarp::test
