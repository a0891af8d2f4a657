// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "inspection/connections.h"
#include "inspection/lanes.h"
#include "inspection/renewed_rules.h"

namespace packetwarp::test {
namespace {

// Segments of connections are judged with the bytes around them in their stream, as on a GPU. The inspector of
// captures, which follows whole streams, is the judge.

constexpr char const* rules_across_segments =
    "alert tcp any any -> any any (content:\"secret word\"; sid:1;)\n"
    "alert tcp any any -> any any (flow:only_stream,to_client; content:\"answer\"; content:\"end\"; distance:0; "
    "within:40; sid:2;)\n"
    "alert tcp any any -> any any (flow:no_stream; content:\"secret word\"; sid:3;)\n"
    "alert tcp any any -> any any (content:\"abcd=\"; nocase; pcre:\"/^[0-9]{4,}&/R\"; sid:4;)\n"
    "alert tcp any any -> any any (pcre:\"/(x)y+\\1z/\"; sid:5;)\n"
    "alert tcp any any -> any any (content:\"HELO\"; depth:4; sid:6;)\n"
    "alert tcp any any -> any any (content:\"greet\"; offset:6; depth:20; sid:7;)\n"
    "alert tcp any any -> any any (content:\"key\"; content:\"value\"; distance:1; within:12; isdataat:1,relative; "
    "sid:8;)\n"
    "alert tcp any any -> any any (content:\"size|3a|\"; byte_test:3,>,99,0,relative,string,dec; sid:9;)\n"
    "alert tcp any any -> any any (content:\"no\"; sid:10;)\n"
    "alert tcp any any -> any any (flow:only_stream; dsize:7; sid:11;)\n";
constexpr std::size_t rules_count = 11;

class talkers {
 public:
  explicit talkers(unsigned seed) : random_{seed} {}

  [[nodiscard]] std::size_t pick(std::size_t most) { return static_cast<std::size_t>(random_() % most); }
  [[nodiscard]] std::mt19937& random() { return random_; }
  [[nodiscard]] std::string text() {
    constexpr std::array units{"secret word",
                               "the answer is at the end",
                               "aBcd=12345&",
                               "xyyyxz",
                               "key:  value .",
                               "size:123 ",
                               "size:42 ",
                               "greet",
                               "no",
                               "abcd=123&"};
    std::string made = pick(2) == 0 ? "HELO me" : pick(3) == 0 ? "HEL" : "to greet all";
    for (auto left = 1 + pick(5); left != 0; --left) {
      made += std::string(pick(pick(4) == 0 ? 700 : 40), '.');
      made += units[pick(units.size())];
    }
    return made;
  }
  // Segments of one side, in order: of any sizes, some bytes of a few come twice.
  [[nodiscard]] std::vector<frame_bytes> segments(connection const& of, unsigned side, bool repeats) {
    constexpr std::array<std::size_t, 5> sizes{1, 9, 40, 200, 1400};
    auto const all = text();
    auto const longest = sizes[pick(sizes.size())];
    std::vector<frame_bytes> made;
    for (std::size_t at = 0; at < all.size();) {
      auto const back = repeats && pick(4) == 0 ? pick(std::min<std::size_t>(at, 60) + 1) : 0;
      auto const size = 1 + pick(longest);
      made.push_back(of.segment(side, static_cast<std::uint32_t>(at - back), all.substr(at - back, size + back),
                                wire::tcp_flag::psh | wire::tcp_flag::ack));
      at += size;
    }
    return made;
  }
  [[nodiscard]] std::vector<frame_bytes> connection_of(unsigned port, bool repeats) {
    connection const made{port};
    auto frames = made.handshake();
    std::vector<std::vector<frame_bytes>> sides{segments(made, 0, repeats), segments(made, 1, repeats)};
    append(frames, interleaved(sides));
    return frames;
  }

 private:
  std::mt19937 random_;
};

// PCRE2's engine is for one thread.
[[nodiscard]] expressions expressions_for(unsigned lanes) {
  return lanes == 1 ? expressions::by_engine : expressions::later;
}

[[nodiscard]] std::vector<inspection_parts::fate> judged(stage_bed& bed, std::vector<frame_bytes>& frames,
                                                         unsigned lanes, unsigned group) {
  return lanes == 1 ? bed.judge(frames, group) : judged_by_lanes(bed, frames, lanes);
}

TEST(carried_streams, give_the_inspectors_alerts_for_segments_in_order) {
  talkers made{11};
  std::vector<std::vector<frame_bytes>> connections;
  for (unsigned n = 0; n < 60; ++n) connections.push_back(made.connection_of(4000 + n, n % 2 == 0));
  auto const frames = interleaved(connections);
  struct way {
    unsigned lanes;
    unsigned group;
  };
  for (auto const [lanes, group] : {way{1, 1}, way{1, 7}, way{1, 32}, way{8, 8}}) {
    auto copies = frames;
    stage_bed bed{rules_across_segments, judged_with_neighbours, 1, expressions_for(lanes)};
    inspect::inspector judge{bed.compiled(), bed.rules().rules.size(), inspection_key, {.flows = 65'536}};
    auto const wanted = alerts_of(judge, bed, frames);
    (void)judged(bed, copies, lanes, group);
    EXPECT_EQ(bed.alerts(), wanted) << lanes << " lanes, groups of " << group;
    EXPECT_EQ(wanted.size(), rules_count) << "each rule has matched";
    EXPECT_EQ(bed.counts().unjudged_streams, 0U);
    EXPECT_EQ(bed.counts().segments, judge.segments());
    EXPECT_GT(bed.counts().segments.repeated, 10U);
  }
}

[[nodiscard]] std::set<std::uint32_t> sids_of(alerts_by_sid const& alerts) {
  std::set<std::uint32_t> made;
  for (auto const& [sid, count] : alerts) made.insert(sid);
  return made;
}

// A window of segments in any order, as several groups that are judged at once bring them.
void shuffle_windows(std::vector<frame_bytes>& frames, std::size_t first, std::size_t window, std::mt19937& random) {
  for (auto at = first; at < frames.size(); at += window) {
    auto const end = std::min(at + window, frames.size());
    std::shuffle(frames.begin() + static_cast<std::ptrdiff_t>(at), frames.begin() + static_cast<std::ptrdiff_t>(end),
                 random);
  }
}

TEST(carried_streams, give_the_inspectors_rules_for_segments_out_of_order) {
  talkers made{12};
  std::set<std::uint32_t> all;
  std::uint64_t out_of_order = 0;
  for (unsigned n = 0; n < 100; ++n) {
    auto frames = made.connection_of(4000 + n, false);
    shuffle_windows(frames, 3, 7, made.random());
    auto sizes = judged_with_neighbours;
    sizes.flows = 64;
    sizes.rates = 64;
    auto const lanes = n % 4 == 0 ? 4U : 1U;
    stage_bed bed{rules_across_segments, sizes, 1, expressions_for(lanes)};
    auto const wanted = sids_of(alerts_of_inspector(bed, frames));
    (void)judged(bed, frames, lanes, 1 + n % 32);
    EXPECT_EQ(sids_of(bed.alerts()), wanted) << n;
    EXPECT_EQ(bed.counts().unjudged_streams + bed.counts().segments.gaps, 0U);
    all.insert(wanted.begin(), wanted.end());
    out_of_order += bed.counts().segments.out_of_order;
  }
  EXPECT_EQ(all.size(), rules_count);
  EXPECT_GT(out_of_order, 300U);
}

// Each byte in a segment of its own.
TEST(carried_streams, find_a_content_once_in_whichever_order_its_bytes_come) {
  std::string const text = "the secret word";  // no more pieces than a direction has islands
  std::mt19937 random{13};
  for (unsigned n = 0; n < 100; ++n) {
    connection const made{4000 + n};
    auto frames = made.handshake();
    append(frames, made.segments(0, text, 1));
    shuffle_windows(frames, 3, text.size(), random);
    auto sizes = judged_with_neighbours;
    sizes.flows = 64;
    sizes.rates = 64;
    stage_bed bed{"alert tcp any any -> any any (content:\"secret word\"; sid:1;)\n", sizes};
    (void)judged(bed, frames, n % 10 == 0 ? 4 : 1, 1 + n % 32);
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}})) << n;
  }
}

// At each place where it can be cut, with long segments around it.
TEST(carried_streams, find_a_long_content_across_full_segments) {
  std::string const content(180, 'c');
  stage_bed bed{"alert tcp any any -> any any (content:\"" + content + "\"; sid:1;)\n", judged_with_neighbours};
  unsigned wanted = 0;
  for (std::size_t cut = 1; cut < content.size(); cut += 7) {
    connection const made{static_cast<unsigned>(4000 + cut)};
    auto const text = std::string(1400 - cut, '.') + content + std::string(1400 + cut - content.size(), '.');
    auto frames = made.handshake();
    auto segments = made.segments(0, text, 1400);
    if (cut % 2 == 0) std::swap(segments[0], segments[1]);
    append(frames, segments);
    (void)judged(bed, frames, cut % 3 == 0 ? 4 : 1, 32);
    EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, ++wanted}})) << cut;
  }
}

TEST(carried_streams, are_judged_by_expressions_later_as_at_once) {
  for (unsigned const lanes : {1U, 4U}) {
    stage_bed bed{
        "alert tcp any any -> any any (content:\"key\"; pcre:\"/key=(.)\\1,/\"; sid:1;)\n"
        "alert tcp any any -> any any (pcre:\"/^begin (.)\\1/\"; content:\"begin\"; depth:5; sid:2;)\n",
        judged_with_neighbours, 1, expressions::later};
    connection const made{4000};
    auto frames = made.handshake();
    append(frames, made.segments(0, "begin aa key=bb, key=cd, key=dd, ", 5));
    auto const wanted = alerts_of_inspector(bed, frames);
    (void)judged(bed, frames, lanes, 32);
    EXPECT_EQ(bed.alerts(), wanted) << lanes;
    EXPECT_EQ(wanted, (alerts_by_sid{{1, 2}, {2, 1}}));
    EXPECT_GE(bed.late_packets(), 3U);
  }
}

// An automaton tells of its first match alone; matches that begin among the new bytes count, too.
TEST(carried_streams, have_each_match_of_an_automaton_that_brings_new_bytes) {
  for (unsigned const lanes : {1U, 4U}) {
    stage_bed bed{
        "alert tcp any any -> any any (pcre:\"/id=[0-9]{2},/\"; sid:1;)\n"
        "alert tcp any any -> any any (content:\"id=\"; pcre:\"/^[0-9]{2},/R\"; sid:2;)\n"
        "alert tcp any any -> any any (content:\"id=\"; pcre:!\"/[^id0-9=, ]/\"; sid:3;)\n",
        judged_with_neighbours, 1, expressions::later};
    connection const made{4000};
    auto frames = made.handshake();
    append(frames, made.segments(0, "id=12, id=34, id=56, id=78, ", 9));
    auto const wanted = alerts_of_inspector(bed, frames);
    (void)judged(bed, frames, lanes, 32);
    EXPECT_EQ(bed.late_packets(), 0U);
    EXPECT_EQ(wanted, (alerts_by_sid{{1, 2}, {2, 3}, {3, 3}}));
    EXPECT_EQ(bed.alerts(), wanted) << lanes;
  }
}

TEST(carried_streams, have_what_began_before_other_rules) {
  stage_bed bed{rule_for_halves, judged_with_neighbours};
  expect_content_begun_before_other_rules(bed);
}

// The other half of each content is with the other thread.
TEST(carried_streams, find_each_content_once_by_two_threads) {
  constexpr unsigned rounds = 80;
  constexpr std::size_t segments_per_round = 12;
  constexpr std::size_t size = 7;
  std::string text;
  std::string rules;
  alerts_by_sid wanted;
  for (unsigned n = 1; text.size() < rounds * segments_per_round * size; ++n) {
    auto const content = fmt::format("content{:04}.", n);
    text += content;
    if (text.size() > rounds * segments_per_round * size) break;
    rules += fmt::format("alert tcp any any -> any any (content:\"{}\"; sid:{};)\n", content, n);
    wanted[n] = 1;
  }
  text.resize(rounds * segments_per_round * size);
  connection const made{4000};
  stage_bed bed{rules, judged_with_neighbours, 2};
  auto frames = made.handshake();
  (void)bed.judge(frames, 1);
  auto segments = made.segments(0, text, size);
  std::mt19937 random{14};
  shuffle_windows(segments, 0, segments_per_round, random);
  std::barrier<> together{2};
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&, thread] {
      auto const room = std::make_unique<inspection::room>();
      room->marks = {};
      std::vector<inspection_parts::fate> fates;
      for (std::size_t round = 0; round < rounds; ++round) {
        auto const half = segments_per_round / 2;
        auto const own = std::span{segments}.subspan(round * segments_per_round + thread * half, half);
        for (std::size_t at = 0; at < half; at += 2) bed.judge_group(own.subspan(at, 2), thread, *room, fates);
        together.arrive_and_wait();
      }
    });
  }
  for (auto& one : threads) one.join();
  bed.read();
  EXPECT_EQ(bed.alerts(), wanted);
  EXPECT_EQ(bed.counts().unjudged_streams, 0U);
}

}  // namespace
}  // namespace packetwarp::test
