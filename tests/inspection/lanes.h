// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fixtures/lanes_in_turn.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {

#if defined(__SANITIZE_THREAD__)
#define PACKETWARP_SHOWS_RACES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PACKETWARP_SHOWS_RACES 1
#endif
#endif

// Lanes that are threads.
struct lanes_by_threads {
  explicit lanes_by_threads(unsigned lanes) : lanes_{lanes}, all_{lanes} {}

  [[nodiscard]] unsigned count() const { return lanes_; }
  void wait() { all_.arrive_and_wait(); }

  std::atomic<std::uint32_t> sums[2]{};

 private:
  unsigned lanes_;
  std::barrier<> all_;
};

// Runs work(group) for each lane of a group: in turn, or, under ThreadSanitizer, by threads, whose races it shows.
template <class Work>
void run_lanes(unsigned lanes, unsigned packets, Work const& work) {
#if defined(PACKETWARP_SHOWS_RACES)
  lanes_by_threads all{lanes};
  std::vector<std::thread> threads;
  for (unsigned lane = 0; lane < lanes; ++lane)
    threads.emplace_back([&, lane] { work(lane_group<lanes_by_threads>{all, lane, packets}); });
  for (auto& one : threads) one.join();
#else
  // A sanitizer spends long on new stacks.
  thread_local std::map<unsigned, std::unique_ptr<lanes_in_turn>> known;
  auto& in_turn = known[lanes];
  if (in_turn == nullptr) in_turn = std::make_unique<lanes_in_turn>(lanes);
  run_in_turn(*in_turn, packets, work);
#endif
}

// Judges a group of packets, one per lane at most. Leaves its alerts in the journal.
inline void judge_views(stage_bed& bed, std::vector<packet_view> const& views, unsigned lanes) {
  auto const packets = static_cast<unsigned>(views.size());
  auto const in_force = bed.hold();
  run_lanes(lanes, packets, [&](auto const& group) {
    auto const lane = group.lane();
    if (lane < packets) inspection::gather(views[lane], lane, in_force, bed.room());
    group.sync();
    inspection::work(group, in_force, bed.room());
  });
}

// Judges the frames in groups of as many packets as there are lanes. done(packets) is called after each group.
template <class Done>
void judge_groups(stage_bed& bed, std::vector<frame_bytes>& frames, unsigned lanes, Done&& done) {
  for (std::size_t first = 0; first < frames.size(); first += lanes) {
    auto const packets = static_cast<unsigned>(std::min<std::size_t>(lanes, frames.size() - first));
    std::vector<packet_view> views;
    for (unsigned n = 0; n < packets; ++n) views.push_back(stage_bed::view_of_frame(frames[first + n]));
    judge_views(bed, views, lanes);
    done(packets);
  }
}
// Leaves the alerts in the journal.
inline void judge_unread(stage_bed& bed, std::vector<frame_bytes>& frames, unsigned lanes) {
  judge_groups(bed, frames, lanes, [](unsigned) {});
}
// Takes the alerts out of the journal after each group.
[[nodiscard]] inline std::vector<inspection_parts::fate> judged_by_lanes(stage_bed& bed,
                                                                         std::vector<frame_bytes>& frames,
                                                                         unsigned lanes) {
  std::vector<inspection_parts::fate> all;
  judge_groups(bed, frames, lanes, [&](unsigned packets) {
    for (unsigned n = 0; n < packets; ++n) all.push_back(inspection::annotation_of(n, bed.room()));
    bed.read();
  });
  return all;
}

// Judges the frames by several lanes as by one, which judges each packet alone; returns the alerts.
inline alerts_by_sid expect_as_by_one(std::string const& rules, std::vector<frame_bytes> frames, unsigned lanes) {
  stage_bed alone{rules, judged_alone};
  auto const wanted = alone.judge(frames, lanes);
  stage_bed bed{rules, judged_alone};
  EXPECT_EQ(judged_by_lanes(bed, frames, lanes), wanted);
  EXPECT_EQ(bed.alerts(), alone.alerts());
  EXPECT_EQ(bed.counts().packets, alone.counts().packets);
  EXPECT_EQ(bed.counts().candidates, alone.counts().candidates);
  for (std::uint32_t n = 0; n < bed.tables().joined.count; ++n)
    EXPECT_EQ(bed.tables().joined.rooms[n].is_taken, 0U) << "a room was not given back";
  return bed.alerts();
}

}  // namespace packetwarp::test
