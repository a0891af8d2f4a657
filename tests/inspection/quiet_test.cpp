// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Packets that no rule can match, by their headers and short payloads: several lanes find them before they search the
// packets of a group together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "inspection/connections.h"
#include "inspection/lanes.h"

namespace packetwarp::test {
namespace {

constexpr unsigned lanes = 8;
constexpr auto longest = inspection_parts::detail::short_payload;

[[nodiscard]] frame_bytes datagram(std::string const& text, std::uint16_t to = 2) {
  auto const* raw = reinterpret_cast<std::byte const*>(text.data());
  return packet_builder{}.eth().ipv4().udp(1, to).payload(bytes{raw, raw + text.size()}).build();
}

// The alerts.
alerts_by_sid expect_by_lanes(std::string const& rules, std::vector<frame_bytes> const& frames) {
  return expect_as_by_one(rules, frames, lanes);
}

// Whether a group of these packets is searched together.
[[nodiscard]] bool are_joined(std::string const& rules, std::vector<frame_bytes> frames) {
  EXPECT_LE(frames.size(), lanes);
  stage_bed bed{rules, judged_alone};
  (void)judged_by_lanes(bed, frames, lanes);
  return bed.room().joined_in != inspection_parts::joined_rooms_ref::none;
}

constexpr char const* of_a_word = "alert udp any any -> any any (content:\"needlework\"; nocase; sid:1;)\n";

TEST(quiet_packets, are_not_searched_together) {
  std::vector<frame_bytes> const frames{datagram(""),           datagram("nee"),
                                        datagram("need"),       datagram("needle"),
                                        datagram("needlewood"), datagram(std::string(longest, '.'))};
  EXPECT_FALSE(are_joined(of_a_word, frames));
  EXPECT_EQ(expect_by_lanes(of_a_word, frames), alerts_by_sid{});
}

TEST(quiet_packets, have_no_longer_payload) {
  EXPECT_TRUE(are_joined(of_a_word, {datagram(std::string(longest + 1, '.'))}));
}

TEST(quiet_packets, have_no_literal_anywhere_in_their_payload) {
  constexpr std::string_view word = "NEEDlework";
  std::vector<frame_bytes> frames;
  for (std::size_t at = 0; at + word.size() <= longest; ++at) {
    for (auto const size : {std::size_t{longest}, at + word.size()}) {
      std::string text(size, '.');
      text.replace(at, word.size(), word);
      frames.push_back(datagram(text));
      EXPECT_TRUE(are_joined(of_a_word, {datagram("quiet"), frames.back()}));
    }
  }
  EXPECT_EQ(expect_by_lanes(of_a_word, frames), (alerts_by_sid{{1, static_cast<unsigned>(frames.size())}}));
}

TEST(quiet_packets, have_no_rule_without_a_literal) {
  std::string const rules =
      "alert udp any any -> any 7 (dsize:<9; sid:1;)\nalert udp any any -> any 8 (dsize:0; sid:2;)\n";
  std::vector<frame_bytes> const frames{datagram("", 7), datagram("text", 7), datagram("", 8), datagram("text", 8),
                                        datagram("", 9)};
  EXPECT_EQ(expect_by_lanes(rules, frames), (alerts_by_sid{{1, 2}, {2, 1}}));
  EXPECT_FALSE(are_joined(rules, {datagram("", 9), datagram("text", 9)}));
}

TEST(quiet_packets, have_no_shorter_literal) {
  std::string const rules = "alert udp any any -> any any (content:\"ab\"; sid:1;)\n";
  EXPECT_EQ(expect_by_lanes(rules, {datagram("..ab"), datagram("ab"), datagram("a.b")}), (alerts_by_sid{{1, 2}}));
}

// The name has other bytes in the payload: a rule's literal is not there.
TEST(quiet_packets, ask_for_no_name) {
  std::string const rules = "alert dns any any -> any any (dns.query; content:\"ab.cd.e\"; sid:1;)\n";
  std::string const query{"\0\1\1\0\0\1\0\0\0\0\0\0\2ab\2cd\1e\0\0\1\0\1", 25};
  ASSERT_LE(query.size(), longest);
  EXPECT_EQ(expect_by_lanes(rules, {datagram(query, 53), datagram("..", 53)}), (alerts_by_sid{{1, 1}}));
}

// More rules of names without a literal than a packet's list has room for: they are for packets that may ask for one.
TEST(quiet_packets, have_no_rule_of_names) {
  std::string rules;
  for (unsigned sid = 1; sid <= 12; ++sid)
    rules +=
        fmt::format("alert dns any any -> any any (dns.query; content:\"{}\"; sid:{};)\n", char('a' + sid - 1), sid);
  rules += "alert tls any any -> any any (tls.sni; content:\"b\"; sid:20;)\n";
  std::string const query{"\0\1\1\0\0\1\0\0\0\0\0\0\2ab\2cd\1e\0\0\1\0\1", 25};
  connection const made{4000};
  EXPECT_FALSE(are_joined(rules, {datagram("quiet", 7), datagram("no message", 53), datagram(query, 54)}));
  EXPECT_FALSE(are_joined(rules, made.handshake()));
  EXPECT_TRUE(are_joined(rules, {datagram("quiet", 7), datagram(query, 53)}));
  EXPECT_EQ(expect_by_lanes(rules, {datagram("quiet", 7), datagram(query, 53), datagram("..", 53)}),
            (alerts_by_sid{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}}));
}

// A content that can lie at one place only says of a short payload whether its rule may match.
TEST(quiet_packets, do_not_have_a_rules_anchor) {
  std::string const rules =
      "alert udp any any -> any any (content:\"ab\"; depth:2; sid:1;)\n"
      "alert udp any any -> any any (content:\"|00|\"; offset:2; depth:1; nocase; sid:2;)\n";
  std::string const third{"ab\0", 3};
  EXPECT_FALSE(are_joined(rules, {datagram("a"), datagram("ba"), datagram("cab"), datagram(""), datagram("xyz")}));
  EXPECT_TRUE(are_joined(rules, {datagram("quiet"), datagram("ab")}));
  EXPECT_TRUE(are_joined(rules, {datagram("quiet"), datagram(std::string{"xy\0", 3})}));
  EXPECT_EQ(expect_by_lanes(rules, {datagram("ab"), datagram("aB"), datagram(third), datagram("cab"), datagram("a")}),
            (alerts_by_sid{{1, 2}, {2, 1}}));
}

TEST(quiet_packets, begin_no_message_of_http) {
  connection const made{4000};
  auto frames = made.handshake();
  EXPECT_FALSE(are_joined("alert http any any -> any any (http.uri; content:\"/evil\"; sid:1;)\n", frames));
  frames.push_back(made.segment(0, 0, "GET /%65vil HTTP/1.0\r\n\r\n"));
  EXPECT_EQ(expect_by_lanes("alert http any any -> any any (http.uri; content:\"/evil\"; sid:1;)\n", frames),
            (alerts_by_sid{{1, 1}}));
}

// Flows whose first packet is quiet begin anew, and quiet packets of a flow that a rule has ended are dropped.
TEST(quiet_packets, follow_their_flows) {
  std::string const rules = "drop tcp any any -> any any (flow:established; content:\"needlework\"; sid:1;)\n";
  connection const made{4000};
  auto frames = made.handshake();
  frames.push_back(made.segment(0, 0, "needlework"));
  for (unsigned n = 0; n < 2 * lanes; ++n) frames.push_back(made.segment(0, 10, "quiet"));
  EXPECT_EQ(expect_by_lanes(rules, frames), (alerts_by_sid{{1, 1}}));
}

TEST(quiet_packets, are_those_that_no_rule_matches) {
  constexpr std::string_view letters = "abAB.";
  std::mt19937 random{20261128};
  auto const text_of = [&](std::size_t size) {
    std::string text;
    for (std::size_t n = 0; n < size; ++n) text += letters[random() % letters.size()];
    return text;
  };
  std::string rules;
  for (unsigned sid = 1; sid <= 40; ++sid)
    rules += fmt::format("alert udp any any -> any {} (content:\"{}\"; {}sid:{};)\n", sid % 3 == 0 ? "2" : "any",
                         text_of(4 + random() % 8), sid % 2 == 0 ? "nocase; " : "", sid);
  std::vector<frame_bytes> frames;
  for (unsigned n = 0; n < 2000; ++n)
    frames.push_back(datagram(text_of(random() % (longest + 4)), static_cast<std::uint16_t>(2 + random() % 2)));
  EXPECT_GT(expect_by_lanes(rules, frames).size(), 20U);
}

}  // namespace
}  // namespace packetwarp::test
