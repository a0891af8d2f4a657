// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "inspection/connections.h"
#include "inspection/renewed_rules.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {
namespace {

using inspection_parts::fate;

constexpr inspection_sizes usual{.flows = 65'536, .rates = 65'536};

TEST(stream_stage, gives_the_inspectors_alerts_and_counts_in_groups_of_every_size) {
  auto frames = interleaved(random_connections(150, 3));
  for (unsigned const group : {1U, 3U, 32U}) {
    stage_bed bed{rules_for_streams};
    inspect::inspector judge{bed.compiled(), bed.rules().rules.size(), inspection_key, {.flows = 65'536}};
    auto const wanted = alerts_of(judge, bed, frames);
    (void)bed.judge(frames, group);
    EXPECT_EQ(bed.alerts(), wanted) << "groups of " << group;
    EXPECT_EQ(wanted.size(), 11U) << "each rule but the one of action pass has alerted";
    auto const counts = bed.counts();
    EXPECT_EQ(counts.segments, judge.segments());
    EXPECT_GT(counts.segments.out_of_order, 0U);
    EXPECT_GT(counts.segments.repeated, 0U);
    EXPECT_GT(counts.segments.without_begin, 0U);
    EXPECT_EQ(counts.messages, judge.judged().messages);
    EXPECT_GT(counts.messages.messages, 100U);
    EXPECT_EQ(counts.candidates, judge.judged().candidates);
    EXPECT_EQ(counts.unjudged_streams, 0U);
  }
}

// A flow's directions may come by two ports, whose pipelines share its stream.
TEST(stream_stage, gives_the_same_if_directions_come_by_two_pipelines) {
  auto frames = interleaved(random_connections(150, 4));
  stage_bed bed{rules_for_streams, usual, 2};
  auto const room = std::make_unique<inspection::room>();
  room->marks = {};
  std::vector<fate> fates;
  for (auto& frame : frames) {
    constexpr std::size_t source_at = 14 + 12;
    bed.judge_group({&frame, 1}, frame[source_at] == std::byte{20} ? 1 : 0, *room, fates);
    bed.read();
  }
  EXPECT_EQ(bed.alerts(), alerts_of_inspector(bed, frames));
}

TEST(stream_stage, gives_the_same_by_several_threads_that_share_shards) {
  constexpr std::size_t threads = 4;
  auto const connections = random_connections(200, 5);
  std::vector<std::vector<std::vector<frame_bytes>>> parts(threads);
  for (std::size_t n = 0; n < connections.size(); ++n) parts[n % threads].push_back(connections[n]);
  // A limit is of all threads, and which match reaches it first is open.
  std::string text = rules_for_streams;
  text.resize(text.find("alert http any any -> any any (http.host;"));
  stage_bed bed{text, usual, threads};
  std::vector<frame_bytes> all;
  std::vector<std::vector<frame_bytes>> frames;
  for (auto const& part : parts) {
    frames.push_back(interleaved(part));
    append(all, frames.back());
  }
  std::vector<std::thread> running;
  for (std::size_t n = 0; n < threads; ++n) {
    running.emplace_back([&, n] {
      auto const room = std::make_unique<inspection::room>();
      room->marks = {};
      std::vector<fate> fates;
      for (std::size_t first = 0; first < frames[n].size(); first += 8)
        bed.judge_group(std::span{frames[n]}.subspan(first, std::min<std::size_t>(8, frames[n].size() - first)), n,
                        *room, fates);
    });
  }
  for (auto& one : running) one.join();
  bed.read();
  EXPECT_EQ(bed.alerts(), alerts_of_inspector(bed, all));
}

// A sender repeats what did not arrive.
TEST(stream_stage, a_dropped_segment_is_dropped_again_and_ends_its_connection) {
  for (auto const* rule : {"drop tcp any any -> any any (content:\"secret word\"; sid:1;)\n",
                           "drop http any any -> any any (http.uri; content:\"/secret word\"; sid:1;)\n"}) {
    stage_bed bed{rule};
    connection const made{4000};
    auto frames = made.handshake();
    std::string const request = "GET /secret word HTTP/1.1\r\n\r\n";
    frames.push_back(made.segment(0, 0, request.substr(0, 13)));
    frames.push_back(made.segment(0, 13, request.substr(13)));
    frames.push_back(frames.back());
    frames.push_back(made.segment(1, 0, "HTTP/1.1 200 OK\r\n\r\n"));
    frames.push_back(made.segment(0, 100, {}, wire::tcp_flag::rst));
    // The same ports again.
    append(frames, made.handshake());
    frames.push_back(made.segment(0, 0, "GET / HTTP/1.1\r\n\r\n"));
    auto const fates = bed.judge(frames, 1);
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}})) << rule;
    std::vector<fate> wanted(frames.size(), fate::goes_on);
    for (std::size_t n = 4; n <= 7; ++n) wanted[n] = fate::dropped;
    EXPECT_EQ(fates, wanted) << rule;
    EXPECT_EQ(bed.counts().of_ended_connections, 3U);
    EXPECT_EQ(bed.counts().dropped, 4U);
  }
}

TEST(stream_stage, a_segment_that_a_rule_for_packets_drops_ends_no_connection) {
  stage_bed bed{"drop tcp-pkt any any -> any any (content:\"secret word\"; sid:1;)\n"};
  connection const made{4000};
  auto frames = made.handshake();
  frames.push_back(made.segment(0, 0, "secret word"));
  frames.push_back(made.segment(0, 0, "other words"));
  auto const fates = bed.judge(frames, 1);
  EXPECT_EQ(fates[3], fate::dropped);
  EXPECT_EQ(fates[4], fate::goes_on);
}

TEST(stream_stage, other_rules_find_what_began_before_them) {
  stage_bed bed{rule_for_halves};
  expect_content_begun_before_other_rules(bed);
}

TEST(stream_stage, segments_that_are_judged_alone_are_counted) {
  stage_bed bed{rules_for_streams, judged_alone};
  connection const made{4000};
  auto frames = made.handshake();
  append(frames, made.segments(0, "GET /evil HTTP/1.1\r\n\r\nsecret word", 40));
  (void)bed.judge(frames, 32);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}, {3, 1}, {4, 1}, {11, 1}})) << "the head's segment begins it";
  EXPECT_EQ(bed.counts().unjudged_streams, 1U);
  EXPECT_EQ(bed.counts().heads_not_read, 1U) << "bytes follow the message";
}

}  // namespace
}  // namespace packetwarp::test
