// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Warps of a GPU judge segments of the same connections at once, each with the bytes around it that have come.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>

#include "inspection/connections.h"
#include "inspection/device/stage_by_warps.h"

namespace packetwarp::test {
namespace {

using inspection_parts::fate;

constexpr inspection_sizes with_streams{.flows = 4096, .rates = 64, .streams = {.streams = 4096}, .texts = 4096};
constexpr std::size_t connections = 60;
constexpr std::size_t rounds = 20;
constexpr std::size_t segments_per_round = 12;  // in any order they make no more islands than there are

// Contents that lie over the ends of segments of this size, and a rule for each.
struct cut_contents {
  explicit cut_contents(std::size_t size) : text(rounds * segments_per_round * size, '.') {
    std::size_t const step = size < 20 ? 4 : 1;  // contents do not overlap
    for (std::size_t end = step * size; end < text.size(); end += step * size) {
      auto const n = static_cast<std::uint32_t>(wanted.size() + 1);
      auto const content = fmt::format("content{:04}.", n);
      text.replace(end - 1 - n % (content.size() - 1), content.size(), content);
      rules += fmt::format("alert tcp any any -> any any (content:\"{}\"; sid:{};)\n", content, n);
      wanted[n] = connections;
    }
  }

  std::string text;
  std::string rules;
  alerts_by_sid wanted;
};

TEST_F(inspection_by_warps, finds_each_content_across_segments_once) {
  std::mt19937 random{15};
  for (std::size_t const size : {7U, 300U}) {
    cut_contents const contents{size};
    stage_bed bed{contents.rules, with_streams, 8, expressions::later, table_place{.gpu = 0}};
    std::vector<std::vector<frame_bytes>> segments;
    for (unsigned n = 0; n < connections; ++n) {
      connection const made{4000 + n};
      for (auto const& one : made.handshake()) (void)judged_by_warps(bed, {one});
      segments.push_back(made.segments(0, contents.text, size));
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      std::vector<frame_bytes> some;
      for (auto const& one : segments) {
        auto const first = one.begin() + static_cast<std::ptrdiff_t>(round * segments_per_round);
        some.insert(some.end(), first, first + segments_per_round);
      }
      std::shuffle(some.begin(), some.end(), random);
      (void)judged_by_warps(bed, some);
    }
    // A segment whose record others have in hand for long is judged alone, and leaves two contents cut.
    std::size_t missed = 0;
    for (auto const& [sid, count] : contents.wanted) {
      auto const seen = bed.alerts().contains(sid) ? bed.alerts().at(sid) : 0;
      EXPECT_LE(seen, count) << sid;
      missed += count - seen;
    }
    auto const counts = bed.counts();
    EXPECT_LE(missed, 2 * counts.unjudged_streams + 2 * counts.segments.gaps) << size;
    // How many there are depends on the time for which a record is in hand: on the GPU's clock, and on
    // compute-sanitizer.
    auto const most = contents.wanted.size() * connections / (is_slow() ? 1 : 2);
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
