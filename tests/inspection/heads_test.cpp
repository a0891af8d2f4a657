// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "inspection/connections.h"
#include "inspection/lanes.h"

namespace packetwarp::test {
namespace {

// Heads of HTTP in the segments that begin them, judged without streams as on a GPU. The inspector of captures, which
// follows streams, is the judge, where each message lies in one segment.

constexpr char const* head_rules =
    "alert http any any -> any any (http.uri; content:\"/cgi/evil\"; sid:1;)\n"
    "alert http any any -> any any (flow:established,to_server; http.host; content:\"example.org\"; bsize:11; sid:2;)\n"
    "alert http any any -> any any (http.user_agent; content:\"tool\"; nocase; sid:3;)\n"
    "alert http any any -> any any (http.header; content:\"X: a, b|0d 0a|\"; sid:4;)\n"
    "alert http any any -> any any (http.cookie; content:!\"k\"; http.method; content:\"GET\"; sid:5;)\n"
    "alert tcp any any -> any any (content:\"HTTP\"; urilen:>5; sid:6;)\n"
    "alert http any any -> any any (http.uri; pcre:\"/^.cgi.(.)v/\"; sid:7;)\n"
    "alert http any any -> any any (http.stat_code; content:\"404\"; http.server; content:\"Odd\"; sid:8;)\n"
    "drop http any any -> any any (http.method; content:\"DELETE\"; sid:9;)\n"
    "alert http any any -> any any (http.host; dotprefix; content:\".example.org\"; endswith; sid:10;)\n"
    "alert http any any -> any any (urilen:1; sid:11;)\n"
    "alert tcp-pkt any any -> any any (content:\"evil\"; sid:12;)\n"
    "alert http any any -> any any (flow:to_client; http.header_names; content:\"|0d 0a|Location|0d 0a|\"; sid:13;)\n"
    "alert http any any -> any any (http.header.raw; content:\"X: a\"; content:\"x: b\"; distance:0; sid:14;)\n"
    "alert http any any -> any any (http.referer; bsize:0; sid:15;)\n"
    "alert http any any -> any any (http.referer; bsize:>0; sid:16;)\n";

class connections_with_heads {
 public:
  explicit connections_with_heads(unsigned seed) : random_{seed} {}

  // A connection of some requests and responses, a segment each.
  void add() {
    connection const made{static_cast<unsigned>(1024 + frames_.size())};
    append(frames_, made.handshake());
    std::uint32_t sent[2]{};
    for (auto left = pick(4); left != 0; --left) {
      for (unsigned const side : {0U, 1U}) {
        auto const text = side == 1 ? response() : request();
        frames_.push_back(made.segment(side, sent[side], text));
        sent[side] += static_cast<std::uint32_t>(text.size());
      }
    }
    // No message: a reader of streams reads nothing after it.
    if (pick(3) == 0) frames_.push_back(made.segment(0, sent[0], "EHLO evil\r\n"));
  }
  [[nodiscard]] std::vector<frame_bytes>& frames() { return frames_; }

 private:
  [[nodiscard]] unsigned pick(std::size_t most) { return static_cast<unsigned>(random_() % most); }
  template <std::size_t Count>
  [[nodiscard]] std::string one_of(std::array<char const*, Count> const& all) {
    return all[pick(Count)];
  }
  [[nodiscard]] std::string request() {
    return one_of(std::array{"GET ", "POST ", "DELETE ", "HEAD ", "X1 "}) +
           one_of(std::array{"/cgi/evil", "/%63gi//x/../evil?q=%41", "/", "http://EXAMPLE.org:81/cgi/evil",
                             "/%u0063gi%c0%afevil", "/a"}) +
           " HTTP/1.1\r\n" +
           one_of(std::array{"", "Host: Example.ORG:80\r\n", "User-Agent: a TOOL\r\nX: a\r\nx: b\r\n",
                             "Cookie: k=v\r\nHost:\r\n www.example.org\r\nReferer: \r\n",
                             "Referer: x\r\nAccept:\r\n"}) +
           "Content-Length: 0\r\n\r\n";
  }
  [[nodiscard]] std::string response() {
    return one_of(std::array{"HTTP/1.1 200 OK\r\n", "HTTP/1.0 404 Not here\r\n"}) +
           one_of(std::array{"", "Server: Odd/1\r\n", "Location: /evil\r\nServer: even\r\n"}) +
           "Content-Length: 0\r\n\r\n";
  }
  std::mt19937 random_;
  std::vector<frame_bytes> frames_;
};

TEST(heads_alone, give_the_inspectors_alerts_where_messages_lie_in_one_segment) {
  for (unsigned const lanes : {1U, 4U, 8U}) {
    connections_with_heads made{lanes};
    for (unsigned n = 0; n < 60; ++n) made.add();
    stage_bed bed{head_rules, judged_alone};
    auto const fates = lanes == 1 ? bed.judge(made.frames(), 32) : judged_by_lanes(bed, made.frames(), lanes);
    auto const wanted = alerts_of_inspector(bed, made.frames());
    EXPECT_EQ(bed.alerts(), wanted) << lanes;
    EXPECT_EQ(wanted.size(), 16U) << "each rule has matched";
    EXPECT_EQ(std::count(fates.begin(), fates.end(), inspection_parts::fate::dropped), wanted.at(9));
    EXPECT_EQ(bed.counts().heads_not_read, 0U);
    EXPECT_GT(bed.counts().messages.messages, 60U);
  }
}

// The head's rest comes in another segment, which is judged without it.
TEST(heads_alone, that_are_cut_are_known_up_to_their_first_line) {
  connection const made{4000};
  for (unsigned const lanes : {1U, 4U}) {
    auto frames = made.handshake();
    append(frames, made.segments(0, "GET /cgi/evil HTTP/1.1\r\nUser-Agent: tool\r\n\r\n", 30));
    stage_bed bed{head_rules, judged_alone};
    (void)(lanes == 1 ? bed.judge(frames, 32) : judged_by_lanes(bed, frames, lanes));
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}, {6, 1}, {7, 1}, {12, 1}})) << lanes;
    EXPECT_EQ(bed.counts().heads_not_read, 1U);
    EXPECT_EQ(bed.counts().messages.messages, 0U);
  }
}

// A frame with the bytes before `size` in one piece and the others in another, judged by one lane.
void judge_in_pieces(stage_bed& bed, frame_bytes const& frame, std::size_t size) {
  frame_bytes near{frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size)};
  frame_bytes rest{frame.begin() + static_cast<std::ptrdiff_t>(size), frame.end()};
  packet_view const view{near.data(), static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(frame.size()),
                         rest.data(), static_cast<std::uint32_t>(rest.size())};
  auto const in_force = bed.hold();
  inspection::gather(view, 0, in_force, bed.room());
  inspection::work(lone_lane{1}, in_force, bed.room());
  bed.read();
}

TEST(heads_alone, in_two_pieces_are_read_in_one_also_if_the_rest_has_no_room) {
  for (std::size_t const body : {0U, 3000U}) {
    connection const made{4000};
    auto handshake = made.handshake();
    stage_bed bed{head_rules, judged_alone};
    (void)bed.judge(handshake, 32);
    auto const head = fmt::format("PUT /cgi/evil HTTP/1.1\r\nUser-Agent: a tool\r\nContent-Length: {}\r\n\r\n", body);
    judge_in_pieces(bed, made.segment(0, 0, head + std::string(body, '.')), 60);
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}, {3, 1}, {6, 1}, {7, 1}, {12, 1}})) << body;
    EXPECT_EQ(bed.counts().heads_not_read, 0U) << body;
    EXPECT_EQ(bed.counts().cut_short, body == 0 ? 0U : 1U);
  }
}

// The next message begins beyond the bytes in which heads are read.
TEST(heads_alone, of_long_segments_are_counted_if_a_message_follows) {
  for (unsigned const lanes : {1U, 4U}) {
    connection const made{4000};
    auto frames = made.handshake();
    frames.push_back(made.segment(
        0, 0,
        "POST /cgi/evil HTTP/1.1\r\nContent-Length: 2000\r\n\r\n" + std::string(2000, '.') + "GET / HTTP/1.1\r\n"));
    stage_bed bed{head_rules, judged_alone};
    (void)(lanes == 1 ? bed.judge(frames, 32) : judged_by_lanes(bed, frames, lanes));
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}, {6, 1}, {7, 1}, {12, 1}})) << lanes;
    EXPECT_EQ(bed.counts().heads_not_read, 1U) << lanes;
  }
}

TEST(heads_alone, are_not_read_in_data_of_a_reset) {
  connection const made{4000};
  auto frames = made.handshake();
  frames.push_back(made.segment(0, 0, "GET /cgi/evil HTTP/1.1\r\n\r\n", wire::tcp_flag::rst | wire::tcp_flag::ack));
  stage_bed bed{head_rules, judged_alone};
  (void)bed.judge(frames, 32);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{12, 1}}));
  EXPECT_EQ(bed.alerts(), alerts_of_inspector(bed, frames));
}

TEST(heads_alone, with_expressions_are_judged_later) {
  stage_bed bed{"alert http any any -> any any (http.uri; pcre:\"/(x.)\\1/\"; http.method; content:\"GET\"; sid:1;)\n",
                judged_alone, 1, expressions::later};
  connection const made{4000};
  auto frames = made.handshake();
  frames.push_back(made.segment(0, 0, "GET /%78yxy HTTP/1.1\r\n\r\n"));
  frames.push_back(made.segment(0, 25, "GET /xyxz HTTP/1.1\r\n\r\n"));
  (void)bed.judge(frames, 32);
  EXPECT_EQ(bed.late_packets(), 2U);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}}));
}

}  // namespace
}  // namespace packetwarp::test
