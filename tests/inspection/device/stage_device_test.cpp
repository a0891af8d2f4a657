// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// The stage by the warps of a GPU, many at once, against the same code by one lane of a CPU: names, heads, automata,
// and expressions that are decided later.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "inspection/device/stage_by_warps.h"
#include "inspection/flows/held_rules.h"
#include "inspection/mixed_frames.h"

namespace packetwarp::test {
namespace {

// The n-th frames of all connections: no two are of one flow.
[[nodiscard]] std::vector<std::vector<frame_bytes>> turns_of(std::vector<std::vector<frame_bytes>> const& connections) {
  std::vector<std::vector<frame_bytes>> turns;
  for (auto const& one : connections) {
    if (turns.size() < one.size()) turns.resize(one.size());
    for (std::size_t n = 0; n < one.size(); ++n) turns[n].push_back(one[n]);
  }
  return turns;
}

inspection_sizes sizes_with_heads(std::uint32_t heads) {
  auto made = judged_alone;
  made.heads = heads;
  return made;
}

void expect_same(inspection_counts const& seen, inspection_counts const& wanted) {
  EXPECT_EQ(seen.packets, wanted.packets);
  EXPECT_EQ(seen.bypassed, wanted.bypassed);
  EXPECT_EQ(seen.flows_bypassed, wanted.flows_bypassed);
  EXPECT_EQ(seen.passed, wanted.passed);
  EXPECT_EQ(seen.dropped, wanted.dropped);
  EXPECT_EQ(seen.heads_not_read, wanted.heads_not_read);
  EXPECT_EQ(seen.messages.messages, wanted.messages.messages);
  // A packet may be searched again, alone.
  EXPECT_GE(seen.candidates, wanted.candidates);
  EXPECT_EQ(seen.out_of_steps + seen.out_of_bytes + seen.unjudged_regexes,
            wanted.out_of_steps + wanted.out_of_bytes + wanted.unjudged_regexes);
}

TEST_F(inspection_by_warps, gives_the_fates_and_alerts_of_one_lane_of_a_cpu) {
  for (unsigned seed = 0; seed < (is_slow() ? 1U : 6U); ++seed) {
    SCOPED_TRACE(seed);
    auto const turns = turns_of(mixed_frames{seed}.make_connections(is_slow() ? 200 : 3000));
    stage_bed alone{mixed_rules, judged_alone, 1, expressions::later};
    stage_bed bed{mixed_rules, judged_alone, 40 + seed * 20, expressions::later, table_place{.gpu = 0}};
    for (auto turn : turns) {
      auto const by_gpu = judged_by_warps(bed, turn);
      auto const by_cpu = alone.judge(turn, 1);
      if (is_slow() && bed.counts().out_of_bytes != alone.counts().out_of_bytes) GTEST_SKIP() << longer_than_allowed;
      EXPECT_EQ(by_gpu, by_cpu);
    }
    EXPECT_EQ(bed.table().late()->lost(), 0U);
    EXPECT_EQ(bed.alerts(), alone.alerts());
    EXPECT_EQ(bed.late_packets(), alone.late_packets());
    EXPECT_GT(alone.late_packets(), 0U);
    expect_same(bed.counts(), alone.counts());
  }
}

// A segment has a number of its own, and a rule for each number: no alert may name another flow's.
TEST_F(inspection_by_warps, keeps_heads_apart_that_share_few_rooms) {
  unsigned const flows = is_slow() ? 200 : 2000;
  std::string rules;
  for (unsigned n = 0; n < flows; ++n) {
    rules +=
        fmt::format("alert http any {} -> any any (http.uri; content:!\"/number-{}-\"; sid:{};)\n", 1000 + n, n, n + 1);
    rules += fmt::format("alert http any {} -> any any (http.uri; content:\"/number-{}-\"; sid:{};)\n", 1000 + n, n,
                         n + 1 + flows);
  }
  std::vector<std::vector<frame_bytes>> connections;
  for (unsigned n = 0; n < flows; ++n) {
    connection const made{1000 + n};
    auto frames = made.handshake();
    for (unsigned sent = 0; sent < 5; ++sent)
      frames.push_back(made.segment(0, 100 * sent, fmt::format("GET /a/../number-{}- HTTP/1.1\r\n\r\n", n)));
    connections.push_back(std::move(frames));
  }
  stage_bed bed{rules, sizes_with_heads(is_slow() ? 8 : 64), 60, expressions::later, table_place{.gpu = 0}};
  for (auto const& turn : turns_of(connections)) (void)judged_by_warps(bed, turn);
  std::uint64_t seen = 0;
  for (auto const& [sid, count] : bed.alerts()) {
    EXPECT_GT(sid, flows) << "the head of another flow";
    seen += count;
  }
  auto const counts = bed.counts();
  if (is_slow() && counts.out_of_bytes != 0) GTEST_SKIP() << longer_than_allowed;
  EXPECT_GT(seen, 0U);
  // Each head is tried by a rule of each flow, so that some groups have no time left for their packets' two rules.
  EXPECT_EQ(seen + counts.heads_not_read + counts.out_of_bytes / 2, 5U * flows);
}

TEST_F(inspection_by_warps, holds_rules_of_addresses_and_rules_that_pass_for_as_long_as_one_lane_of_a_cpu) {
  stage_bed alone{held_rules, judged_alone, 1, expressions::later};
  stage_bed bed{held_rules, judged_alone, 60, expressions::later, table_place{.gpu = 0}};
  for (auto turn : turns_for_held_rules(is_slow() ? 100 : 1000)) {
    auto const by_gpu = judged_by_warps(bed, turn);
    auto const by_cpu = alone.judge(turn, 1);
    if (is_slow() && bed.counts().out_of_bytes != alone.counts().out_of_bytes) GTEST_SKIP() << longer_than_allowed;
    EXPECT_EQ(by_gpu, by_cpu);
  }
  EXPECT_EQ(bed.alerts(), alone.alerts());
  EXPECT_EQ(bed.counts().of_ended_connections, alone.counts().of_ended_connections);
  expect_same(bed.counts(), alone.counts());
}

// The warps of all groups write into the rings of few pipelines side by side.
TEST_F(inspection_by_warps, gives_each_alert_its_packet) {
  auto sizes = judged_alone;
  sizes.packet_bytes = std::size_t{1} << 20;
  stage_bed bed{
      "alert udp any any -> any any (content:\"secret\"; sid:1;)\n"
      "drop udp any any -> any any (content:\"word\"; sid:2;)\n",
      sizes, 60, expressions::later, table_place{.gpu = 0}};
  std::vector<frame_bytes> frames;
  std::vector<std::pair<std::uint32_t, frame_bytes>> wanted;
  for (unsigned n = 0; n < (is_slow() ? 600U : 6000U); ++n) {
    auto text = fmt::format("number {}{}", n, std::string(n % 1400, '.'));
    if (n % 30 == 0) text += "secret";
    if (n % 70 == 0) text += "word";
    auto const* raw = reinterpret_cast<std::byte const*>(text.data());
    frames.push_back(packet_builder{}.eth().ipv4().udp(1, 2).payload(bytes{raw, raw + text.size()}).build());
    if (n % 30 == 0) wanted.emplace_back(1, frames.back());
    if (n % 70 == 0) wanted.emplace_back(2, frames.back());
  }
  (void)judged_by_warps(bed, frames);
  if (is_slow() && bed.counts().out_of_bytes != 0) GTEST_SKIP() << longer_than_allowed;
  auto seen = bed.packets();
  std::sort(seen.begin(), seen.end());
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(bed.counts().packets_not_kept, 0U);
  EXPECT_TRUE(seen == wanted) << seen.size() << " packets where " << wanted.size() << " alert";
}

}  // namespace
}  // namespace packetwarp::test
