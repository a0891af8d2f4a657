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

[[nodiscard]] std::vector<std::vector<frame_bytes>> opened_connections(stage_bed& bed, cut_contents const& contents,
                                                                       std::size_t size) {
  std::vector<std::vector<frame_bytes>> segments;
  for (unsigned n = 0; n < connections; ++n) {
    connection const made{4000 + n};
    for (auto const& one : made.handshake()) (void)judged_by_warps(bed, {one});
    segments.push_back(made.segments(0, contents.text, size));
  }
  return segments;
}

TEST_F(inspection_by_warps, finds_each_content_across_segments_once) {
  std::mt19937 random{15};
  for (std::size_t const size : {7U, 300U}) {
    cut_contents const contents{size, rounds * segments_per_round};
    stage_bed bed{contents.rules, with_streams, 8, expressions::later, table_place{.gpu = 0}};
    auto const segments = opened_connections(bed, contents, size);
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

// Each warp has four connections, and no other warp's.
TEST_F(inspection_by_warps, misses_no_content_of_connections_that_no_other_warp_has) {
  constexpr std::size_t of_a_warp = 32;
  constexpr std::size_t together = 8;
  static_assert(connections % (of_a_warp / together) == 0 && rounds * segments_per_round % together == 0);
  std::mt19937 random{16};
  cut_contents const contents{300, rounds * segments_per_round};
  stage_bed bed{contents.rules, with_streams, 8, expressions::later, table_place{.gpu = 0}};
  auto const segments = opened_connections(bed, contents, 300);
  for (std::size_t from = 0; from < rounds * segments_per_round; from += together) {
    std::vector<frame_bytes> all;
    for (std::size_t first = 0; first < connections; first += of_a_warp / together) {
      auto const begin = segments.begin() + static_cast<std::ptrdiff_t>(first);
      append(all, shuffled_segments({begin, begin + of_a_warp / together}, from, together, random));
    }
    (void)judged_by_warps(bed, all);
  }
  if (is_slow() && bed.counts().out_of_bytes != 0) GTEST_SKIP() << longer_than_allowed;
  EXPECT_EQ(missed_contents(bed, contents, connections), 0U);
  EXPECT_EQ(bed.counts().unjudged_streams, 0U);
  EXPECT_EQ(bed.counts().segments.gaps, 0U);
  EXPECT_GT(bed.counts().segments.out_of_order, rounds * connections);
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
