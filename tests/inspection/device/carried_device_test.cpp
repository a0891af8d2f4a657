// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Warps of a GPU judge segments of the same connections at once, each with the bytes around it that have come.
#include <random>

#include "inspection/carried/cut_contents.h"
#include "inspection/connections.h"
#include "inspection/device/stage_by_warps.h"

namespace packetwarp::test {
namespace {

using inspection_parts::fate;

constexpr inspection_sizes with_streams{.flows = 4096, .rates = 64, .streams = {.streams = 4096}, .texts = 4096};
constexpr std::size_t connections = 60;
constexpr std::size_t rounds = 20;
constexpr std::size_t segments_per_round = 12;  // in any order they make no more islands than there are

TEST_F(inspection_by_warps, finds_each_content_across_segments_once) {
  std::mt19937 random{15};
  for (std::size_t const size : {7U, 300U}) {
    cut_contents const contents{size, rounds * segments_per_round};
    stage_bed bed{contents.rules, with_streams, 8, expressions::later, table_place{.gpu = 0}};
    std::vector<std::vector<frame_bytes>> segments;
    for (unsigned n = 0; n < connections; ++n) {
      connection const made{4000 + n};
      for (auto const& one : made.handshake()) (void)judged_by_warps(bed, {one});
      segments.push_back(made.segments(0, contents.text, size));
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      auto const some = shuffled_segments(segments, round * segments_per_round, segments_per_round, random);
      (void)judged_by_warps(bed, some);
    }
    // A segment whose record others have in hand for long is judged alone, and leaves two contents cut.
    auto const missed = missed_contents(bed, contents, connections);
    auto const counts = bed.counts();
    EXPECT_LE(missed, 2 * counts.unjudged_streams + 2 * counts.segments.gaps) << size;
    // Under compute-sanitizer a record is in hand a hundred times as long.
    auto const most = contents.count * connections / (is_slow() ? 1 : 10);
    EXPECT_LT(missed, most) << size;
    EXPECT_GT(bed.counts().segments.out_of_order, rounds * connections) << size;
  }
}

TEST_F(inspection_by_warps, ends_a_connection_by_a_content_across_segments) {
  stage_bed bed{"drop tcp any any -> any any (content:\"secret word\"; sid:1;)\n", with_streams, 1, expressions::later,
                table_place{.gpu = 0}};
  connection const made{4000};
  auto frames = made.handshake();
  append(frames, made.segments(0, "GET /secret word HTTP/1.1\r\n\r\n", 13));
  frames.push_back(frames[4]);
  frames.push_back(made.segment(1, 0, "HTTP/1.1 200 OK\r\n\r\n"));
  std::vector<fate> wanted(frames.size(), fate::goes_on);
  for (std::size_t n = 4; n < frames.size(); ++n) wanted[n] = fate::dropped;
  EXPECT_EQ(judged_by_warps(bed, frames), wanted);
  EXPECT_EQ(bed.alerts(), (alerts_by_sid{{1, 1}}));
  EXPECT_EQ(judged_by_warps(bed, {made.segment(0, 40, "later")}), std::vector{fate::dropped});
}

}  // namespace
}  // namespace packetwarp::test
