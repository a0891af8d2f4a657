// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Threads judge segments of the same connections at once, each in groups of many lanes, as a GPU's warps do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

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

// Contents that lie over the ends of segments of this size, and a rule for each.
struct cut_contents {
  explicit cut_contents(std::size_t size) : text(rounds * segments_per_round * size, '.') {
    std::size_t const step = size < 20 ? 4 : 1;  // contents do not overlap
    for (std::size_t end = step * size; end < text.size(); end += step * size) {
      auto const n = static_cast<std::uint32_t>(++count);
      auto const content = fmt::format("content{:04}.", n);
      text.replace(end - 1 - n % (content.size() - 1), content.size(), content);
      rules += fmt::format("alert tcp any any -> any any (content:\"{}\"; sid:{};)\n", content, n);
    }
  }

  std::string text;
  std::string rules;
  std::uint32_t count{};
};

TEST(carried_groups, find_each_content_once_side_by_side) {
  std::mt19937 random{15};
  for (std::size_t const size : {7U, 300U}) {
    cut_contents const contents{size};
    stage_bed bed{contents.rules, with_streams, threads};
    std::vector<std::vector<frame_bytes>> segments;
    for (unsigned n = 0; n < connections; ++n) {
      connection const made{4000 + n};
      auto opening = made.handshake();
      (void)bed.judge(opening, 1);
      segments.push_back(made.segments(0, contents.text, size));
    }
    for (std::size_t round = 0; round < rounds; ++round) {
      std::vector<frame_bytes> some;
      for (auto const& one : segments) {
        auto const first = one.begin() + static_cast<std::ptrdiff_t>(round * segments_per_round);
        some.insert(some.end(), first, first + segments_per_round);
      }
      std::shuffle(some.begin(), some.end(), random);
      judge_by_threads(bed, some);
    }
    // A segment whose record others have in hand for long is judged alone, and leaves two contents cut.
    std::size_t missed = 0;
    for (std::uint32_t sid = 1; sid <= contents.count; ++sid) {
      auto const seen = bed.alerts().contains(sid) ? bed.alerts().at(sid) : 0;
      EXPECT_LE(seen, connections) << sid;
      missed += connections - seen;
    }
    auto const counts = bed.counts();
    EXPECT_LE(missed, 2 * counts.unjudged_streams + 2 * counts.segments.gaps) << size;
    EXPECT_GT(counts.segments.out_of_order, rounds * connections) << size;
  }
}

}  // namespace
}  // namespace packetwarp::test
