// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Threads judge segments of the same connections at once, each in groups of many lanes, as a GPU's warps do.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "inspection/carried/cut_contents.h"
#include "inspection/connections.h"
#include "inspection/lanes.h"

namespace packetwarp::test {
namespace {

constexpr inspection_sizes with_streams{
    .flows = 4096, .rates = 64, .streams = {.streams = 0}, .carried = 4096, .texts = 4096};
#if defined(PACKETWARP_SHOWS_RACES)  // each lane is a thread
constexpr std::size_t connections = 8;
constexpr std::size_t rounds = 2;
#else
constexpr std::size_t connections = 40;
constexpr std::size_t rounds = 8;
#endif
constexpr std::size_t segments_per_round = 12;  // in any order they make no more islands than there are
constexpr unsigned lanes = 32;
constexpr std::size_t threads = 4;

// Judges the frames in groups, each by the thread that comes first.
void judge_by_threads(stage_bed& bed, std::vector<frame_bytes>& frames) {
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> all;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      auto const room = std::make_unique<inspection::room>();
      room->marks = {};
      auto const tables = bed.table().ref(thread);
      for (std::size_t first = 0; (first = next.fetch_add(lanes)) < frames.size();) {
        auto const packets = static_cast<unsigned>(std::min<std::size_t>(lanes, frames.size() - first));
        auto const in_force = inspection::hold(tables);
        run_lanes(lanes, packets, [&](auto const& group) {
          auto const lane = group.lane();
          if (lane < packets) inspection::gather(stage_bed::view_of_frame(frames[first + lane]), lane, in_force, *room);
          group.sync();
          inspection::work(group, in_force, *room);
        });
      }
    });
  }
  for (auto& one : all) one.join();
  bed.read();
}

TEST(carried_groups, find_each_content_once_side_by_side) {
  std::mt19937 random{15};
  for (std::size_t const size : {7U, 300U}) {
    cut_contents const contents{size, rounds * segments_per_round};
    stage_bed bed{contents.rules, with_streams, threads};
    std::vector<std::vector<frame_bytes>> segments;
    for (unsigned n = 0; n < connections; ++n) {
      connection const made{4000 + n};
      auto opening = made.handshake();
      (void)bed.judge(opening, 1);
      segments.push_back(made.segments(0, contents.text, size));
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      auto some = shuffled_segments(segments, round * segments_per_round, segments_per_round, random);
      judge_by_threads(bed, some);
    }
    // A segment whose record others have in hand for long is judged alone, and leaves two contents cut.
    auto const missed = missed_contents(bed, contents, connections);
    auto const counts = bed.counts();
    EXPECT_LE(missed, 2 * counts.unjudged_streams + 2 * counts.segments.gaps) << size;
    EXPECT_GT(counts.segments.out_of_order, rounds * connections) << size;
  }
}

}  // namespace
}  // namespace packetwarp::test
