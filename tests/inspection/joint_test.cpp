// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The bounds of the memory that the packets of a group share while they are judged together: the room for their texts,
// and the one for pairs of packets and rules.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inspection/connections.h"
#include "inspection/lanes.h"

namespace packetwarp::test {
namespace {

[[nodiscard]] frame_bytes joint_datagram(std::string const& text, std::uint16_t from = 1) {
  auto const* raw = reinterpret_cast<std::byte const*>(text.data());
  return packet_builder{}.eth().ipv4().udp(from, 2).payload(bytes{raw, raw + text.size()}).build();
}

TEST(joined_texts, of_long_payloads_take_several_rounds) {
  std::vector<frame_bytes> frames;
  for (unsigned n = 0; n < joint_packets; ++n) {
    std::string text(1400 + n, '.');
    text.replace(0, 8, "firstone");
    text.replace(text.size() - 8, 8, n % 2 == 0 ? "last one" : "lastone.");
    frames.push_back(joint_datagram(text, static_cast<std::uint16_t>(n)));
  }
  static_assert(joint_packets * 1400 >
                2 * inspection_parts::joined_room::pieces * inspection_parts::joined_room::piece_bytes);
  auto const alerts = expect_as_by_one(
      "alert udp any any -> any any (content:\"firstone\"; sid:1;)\n"
      "alert udp any any -> any any (content:\"last one\"; endswith; sid:2;)\n",
      frames, joint_packets);
  EXPECT_EQ(alerts, (alerts_by_sid{{1, joint_packets}, {2, joint_packets / 2}}));
}

// A window may not lie across the end of a text and the begin of the next one.
TEST(joined_texts, end_where_their_packets_end) {
  std::vector<frame_bytes> frames;
  for (unsigned n = 0; n < 8; ++n) {
    auto const size = 12 + n;  // so that one ends with each byte of a piece
    frames.push_back(joint_datagram(std::string(size, '.') + "need"));
    frames.push_back(joint_datagram("lework" + std::string(size, '.')));
  }
  frames.push_back(joint_datagram("needlework"));
  EXPECT_EQ(expect_as_by_one("alert udp any any -> any any (content:\"needlework\"; sid:1;)\n", frames, joint_packets),
            (alerts_by_sid{{1, 1}}));
}

// Forms of heads are texts of their own: a group has more than there is room for.
TEST(joined_texts, of_heads_take_several_rounds) {
  std::vector<frame_bytes> opening;
  std::vector<frame_bytes> requests;
  for (unsigned n = 0; n < joint_packets; ++n) {
    connection const made{4000 + n};
    append(opening, made.handshake());
    requests.push_back(made.segment(0, 0,
                                    fmt::format("GET /%65vil/{}/%2e HTTP/1.1\r\nHost: WWW.Example.org:80\r\n"
                                                "X-{}: a\r\nX-{}: b\r\nCookie: c={}\r\nCookie: evil\r\n\r\n",
                                                n, n, n, n)));
  }
  auto frames = opening;
  append(frames, requests);
  auto const alerts = expect_as_by_one(
      "alert http any any -> any any (http.uri; content:\"/evil/\"; sid:1;)\n"
      "alert http any any -> any any (http.host; content:\"example.org\"; sid:2;)\n"
      "alert http any any -> any any (http.header; content:\"|3a 20|a, b|0d 0a|\"; sid:3;)\n"
      "alert http any any -> any any (http.cookie; content:\", evil\"; sid:4;)\n",
      frames, joint_packets);
  EXPECT_EQ(alerts, (alerts_by_sid{{1, joint_packets}, {2, joint_packets}, {3, joint_packets}, {4, joint_packets}}));
}

// Others have all rooms: the packets are judged one after the other, with the same alerts.
TEST(joined_texts, have_no_room_while_others_have_all) {
  std::string const rules = "alert udp any any -> any any (content:\"needlework\"; sid:1;)\n";
  stage_bed bed{rules, judged_alone};
  auto const& joined = bed.tables().joined;
  ASSERT_GT(joined.count, 0U);
  for (std::uint32_t n = 0; n < joined.count; ++n) joined.rooms[n].is_taken = 1;
  std::vector<frame_bytes> frames{joint_datagram("needlework"), joint_datagram("none"), joint_datagram("needlework")};
  (void)judged_by_lanes(bed, frames, 4);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 2}}));
  for (std::uint32_t n = 0; n < joined.count; ++n)
    EXPECT_EQ(joined.rooms[n].is_taken, 1U) << "another's was given back";
}

// Pairs of a packet that is searched in part wait, while those of packets before it are tried.
TEST(rule_pairs, of_a_packet_in_part_wait_for_the_rest) {
  constexpr unsigned rules = 64;  // so that none takes another one's slot
  std::string text;
  for (unsigned n = 0; n < rules; ++n)
    text += fmt::format("alert udp any any -> any any (content:\"needlework\"; content:\"end{}\"; sid:{};)\n", n % 2,
                        n + 1);
  std::string many;
  for (unsigned n = 0; n < 60; ++n) many += "needlework..";
  std::vector<frame_bytes> const frames{joint_datagram("needlework end0"), joint_datagram(many + "end1"),
                                        joint_datagram("needlework end1"), joint_datagram(many + many)};
  for (unsigned const lanes : {4U, 8U}) {
    auto const alerts = expect_as_by_one(text, frames, lanes);
    EXPECT_EQ(alerts.size(), rules);
    EXPECT_EQ(alerts.at(1), 1U);
    EXPECT_EQ(alerts.at(2), 2U);
  }
}

[[nodiscard]] std::string rules_with(char const* content, unsigned count, unsigned first_sid) {
  std::string text;
  for (unsigned n = 0; n < count; ++n)
    text += fmt::format("alert udp any any -> any any (content:\"{}\"; sid:{};)\n", content, first_sid + n);
  return text;
}
[[nodiscard]] std::string repeated(std::string const& word, unsigned times) {
  std::string text;
  for (unsigned n = 0; n < times; ++n) text += word;
  return text;
}

// Positions that are too few for all lanes wait for those of later pieces, and the pairs of their packet wait, too: a
// pair that is tried sooner is found, and counted, again.
TEST(positions, that_wait_hold_back_the_pairs_of_their_packet) {
  auto const rules = rules_with("needlework", 65, 1);  // two of them have one slot of the pairs
  std::vector<frame_bytes> const frames{joint_datagram(repeated("needlework..", 40)),
                                        joint_datagram(std::string(1400, '.'))};
  EXPECT_EQ(expect_as_by_one(rules, frames, joint_packets).size(), 65U);
}

// Positions that wait when the packets before theirs are concluded are forgotten: their packet is searched anew.
TEST(positions, that_wait_are_not_left_to_the_next_search) {
  auto const rules =
      rules_with("needlework", 100, 1) + rules_with("otherword", 1, 200) + rules_with("singleword", 1, 201);
  std::vector<frame_bytes> const frames{
      joint_datagram("needlework"),
      joint_datagram(repeated("otherword..", 44) + "singleword.." + repeated("otherword..", 66)),
      joint_datagram(std::string(1400, '.'))};
  auto const alerts = expect_as_by_one(rules, frames, joint_packets);
  EXPECT_EQ(alerts.size(), 102U);
}

// Also where no rule has matched: others have taken the places of all flows in between.
TEST(flows, that_begin_anew_have_no_bits) {
  constexpr char const* rules =
      "alert udp any any -> any any (content:\"mark\"; flowbits:set,seen; noalert; sid:1;)\n"
      "alert udp any any -> any any (content:\"asks\"; flowbits:isset,seen; sid:2;)\n";
  constexpr unsigned lanes = 4;
  stage_bed bed{rules, {.flows = 8, .rates = 64, .streams = {.streams = 0}}};
  auto const judge = [&](std::vector<frame_bytes> frames) { (void)judged_by_lanes(bed, frames, lanes); };
  judge({joint_datagram("mark"), joint_datagram("asks")});
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{2, 1}}));
  constexpr std::uint64_t a_minute = 60 * 64;
  for (std::uint16_t other = 100; other < 200; ++other) {
    bed.table().set_clock((other - 99U) * a_minute);
    judge({joint_datagram("else", other)});
    judge({joint_datagram("asks", other)});
  }
  judge({joint_datagram("else")});
  judge({joint_datagram("asks")});
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{2, 1}}));
}

}  // namespace
}  // namespace packetwarp::test
