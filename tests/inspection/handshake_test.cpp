// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "inspection/connections.h"
#include "inspection/lanes.h"

// Segments that a receiver drops, through the stage as a CPU and as a GPU judge.
namespace packetwarp::test {
namespace {

using namespace wire::tcp_flag;
using inspection_parts::fate;

constexpr std::uint32_t before_first = 0xffff'ffff;  // position of a SYN
constexpr inspection_sizes whole_streams{.flows = 65'536, .rates = 65'536};
constexpr char const* hidden_rules =
    "alert tcp any any -> any any (flow:established,to_server; content:\"secret word\"; sid:1;)\n"
    "alert tcp any any -> any any (content:\"begin\"; flowbits:set,seen; noalert; sid:2;)\n"
    "alert tcp any any -> any any (content:\"end\"; flowbits:isset,seen; sid:3;)\n";

void expect_alerts(std::string const& rules, std::vector<frame_bytes> const& frames, alerts_by_sid const& wanted,
                   std::vector<unsigned> const& groups = {1, 32}) {
  for (auto const& sizes : {whole_streams, judged_with_neighbours}) {
    for (unsigned const group : groups) {
      stage_bed bed{rules, sizes};
      auto copies = frames;
      (void)bed.judge(copies, group);
      EXPECT_EQ(alerts_of_inspector(bed, frames), wanted);
      EXPECT_EQ(bed.alerts(), wanted) << "groups of " << group << ", " << sizes.carried << " carried";
    }
  }
}

[[nodiscard]] std::vector<frame_bytes> joined(std::vector<frame_bytes> all, std::vector<frame_bytes> const& more) {
  append(all, more);
  return all;
}

TEST(stage_handshake, data_without_an_acknowledgment_do_not_hide_others) {
  connection const made{4000};
  expect_alerts(hidden_rules,
                joined(made.handshake(), {made.segment(0, 0, "xxxxxxx", psh), made.segment(0, 0, "secret "),
                                          made.segment(0, 7, "xxxx", 0), made.segment(0, 7, "word")}),
                {{1, 1}});
}

TEST(stage_handshake, data_of_a_syn_do_not_hide_others) {
  connection const made{4000};
  expect_alerts(hidden_rules,
                {made.segment(0, before_first, "xxxxxxxxxxxx", syn), made.segment(1, before_first, {}, syn | ack),
                 made.segment(0, 0, {}, ack), made.segment(0, 0, "secret "), made.segment(0, 7, "word")},
                {{1, 1}});
}

TEST(stage_handshake, the_servers_answer_says_which_syn_counts) {
  connection const made{4000};
  expect_alerts(hidden_rules,
                joined({made.segment(0, 900'000'000, {}, syn)},
                       joined(made.handshake(), {made.segment(0, 0, "secret "), made.segment(0, 7, "word")})),
                {{1, 1}});
}

TEST(stage_handshake, a_forged_reset_and_a_forged_syn_end_nothing) {
  connection const made{4000};
  expect_alerts(hidden_rules,
                joined(made.handshake(),
                       {made.segment(0, 0, "begin"), made.segment(0, 77'777, {}, rst), made.segment(0, 99'999, {}, syn),
                        made.segment(0, 5, "secret "), made.segment(0, 12, "word"), made.segment(0, 16, "end")}),
                {{1, 1}, {3, 1}});
}

// The server's first answer has left before the segments after it come.
TEST(stage_handshake, an_answer_that_comes_late_again_ends_nothing) {
  connection const made{4000};
  auto const handshake = made.handshake();
  expect_alerts(hidden_rules,
                joined(handshake, {handshake[0], made.segment(0, 0, "begin, secret "), handshake[1],
                                   made.segment(0, 14, "word"), made.segment(0, 18, "end")}),
                {{1, 1}, {3, 1}}, {1});
}

TEST(stage_handshake, other_bytes_than_those_that_wait_are_judged_too) {
  std::vector<std::vector<std::pair<std::uint32_t, std::string>>> const orders{
      {{10, "secret word"}, {0, "0123456789harmless..."}},
      {{10, "harmless..."}, {10, "secret word"}, {0, "0123456789"}},
      {{10, "secret word"}, {10, "harmless...."}, {0, "0123456789"}},
      {{10, "xxxharmless"}, {13, "secret word"}, {0, "0123456789"}}};
  for (auto const& order : orders) {
    connection const made{4000};
    auto frames = made.handshake();
    for (auto const& [position, payload] : order) frames.push_back(made.segment(0, position, payload));
    expect_alerts(hidden_rules, frames, {{1, 1}});
  }
}

// A forged reset and a forged SYN, which passes, and data after these.
TEST(stage_handshake, a_dropped_connection_stays_so_until_the_server_answers_another_syn) {
  for (auto const& sizes : {whole_streams, judged_with_neighbours}) {
    for (unsigned const group : {1U, 32U}) {
      stage_bed bed{"drop tcp any any -> any any (content:\"secret word\"; sid:1;)\n", sizes};
      connection const made{4000};
      connection const next{4000, "10.0.0.1", 5000};
      auto begin = made.handshake();
      EXPECT_EQ(bed.judge(begin, group), std::vector<fate>(3, fate::goes_on));
      std::vector<frame_bytes> frames;
      append(frames, {made.segment(0, 0, "secret word"), made.segment(0, 77'777, {}, rst),
                      made.segment(0, 99'999, {}, syn), made.segment(0, 0, "harmless"),
                      made.segment(1, before_first, {}, syn | ack), made.segment(0, 8, "harmless")});
      append(frames, next.handshake());
      append(frames, {next.segment(0, 0, "harmless")});
      using enum fate;
      std::vector<fate> const wanted{dropped, dropped, goes_on, dropped, dropped,
                                     dropped, goes_on, goes_on, goes_on, goes_on};
      EXPECT_EQ(bed.judge(frames, group), wanted) << "groups of " << group << ", " << sizes.carried << " carried";
    }
  }
}

}  // namespace
}  // namespace packetwarp::test
