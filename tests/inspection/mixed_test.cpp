// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "inspection/connections.h"
#include "inspection/lanes.h"
#include "inspection/mixed_frames.h"

namespace packetwarp::test {
namespace {

// All that packets judged alone have rules for, at once: heads, names, expressions that are decided later, bypassed and
// passed packets, in one piece or two. A single lane, which judges one packet after the other, is the judge of several.

// Each frame in memory of its own, in two pieces if it has more than the first one's bytes.
class pieces_of_frames {
 public:
  pieces_of_frames(std::vector<frame_bytes> const& frames, std::size_t in_first) {
    for (auto const& one : frames) {
      auto const at = one.begin() + static_cast<std::ptrdiff_t>(std::min(in_first, one.size()));
      near_.emplace_back(one.begin(), at);
      far_.emplace_back(at, one.end());
    }
  }
  [[nodiscard]] packet_view operator[](std::size_t n) {
    auto const near = static_cast<std::uint32_t>(near_[n].size());
    auto const far = static_cast<std::uint32_t>(far_[n].size());
    return {near_[n].data(), near, near + far, far_[n].data(), far};
  }
  [[nodiscard]] std::size_t size() const { return near_.size(); }

 private:
  std::vector<frame_bytes> near_;
  std::vector<frame_bytes> far_;
};

[[nodiscard]] std::vector<inspection_parts::fate> judged(stage_bed& bed, pieces_of_frames& frames, unsigned lanes,
                                                         unsigned at_once) {
  std::vector<inspection_parts::fate> all;
  for (std::size_t first = 0; first < frames.size(); first += at_once) {
    auto const packets = static_cast<unsigned>(std::min<std::size_t>(at_once, frames.size() - first));
    auto const in_force = bed.hold();
    for (unsigned n = 0; n < packets; ++n) inspection::gather(frames[first + n], n, in_force, bed.room());
    if (lanes == 1) {
      inspection::work(lone_lane{packets}, in_force, bed.room());
    } else {
      run_lanes(lanes, packets, [&](auto const& group) { inspection::work(group, in_force, bed.room()); });
    }
    for (unsigned n = 0; n < packets; ++n) all.push_back(inspection::annotation_of(n, bed.room()));
    bed.read();
  }
  return all;
}

// A small number of rules, or so many that their pairs with packets have no room in some groups, or for one packet.
[[nodiscard]] std::string rules_with(unsigned of_heads, unsigned of_headers) {
  std::string made = mixed_rules;
  for (unsigned n = 0; n < of_heads; ++n) {
    made += fmt::format("alert http any any -> any any (urilen:{}<>{}; sid:{};)\n", n % 9, n % 9 + n % 5 + 2, 300 + n);
  }
  for (unsigned n = 0; n < of_headers; ++n)
    made += fmt::format("alert ip any any -> any any (dsize:>{}; sid:{};)\n", 10 * n, 600 + n);
  return made;
}

void expect_same_counts(inspection_counts const& seen, inspection_counts const& wanted) {
  EXPECT_EQ(seen.bypassed, wanted.bypassed);
  EXPECT_EQ(seen.flows_bypassed, wanted.flows_bypassed);
  EXPECT_EQ(seen.passed, wanted.passed);
  EXPECT_EQ(seen.cut_short, wanted.cut_short);
  EXPECT_EQ(seen.heads_not_read, wanted.heads_not_read);
  EXPECT_EQ(seen.messages.messages, wanted.messages.messages);
  EXPECT_EQ(seen.unjudged_streams, wanted.unjudged_streams);
  EXPECT_EQ(seen.segments, wanted.segments);
  EXPECT_EQ(seen.of_ended_connections, wanted.of_ended_connections);
  // A packet that an earlier one of its group bypasses has been searched by then.
  EXPECT_GE(seen.candidates, wanted.candidates);
  for (auto const each : {wanted.bypassed, wanted.passed, wanted.heads_not_read, wanted.messages.messages})
    EXPECT_GT(each, 0U);
}

TEST(mixed_packets, are_judged_by_several_lanes_as_by_one) {
  alerts_by_sid all;
  for (unsigned seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    auto const rules = rules_with(seed % 4 * 70, seed % 3 * 4);
    pieces_of_frames frames{mixed_frames{seed}.make(), seed % 2 == 0 ? 60U : 4000U};
    unsigned const lanes = seed < 7 ? 8 : 32;
    auto const& sizes = seed / 2 % 2 == 0 ? judged_alone : judged_with_neighbours;
    stage_bed alone{rules, sizes, 1, expressions::later};
    auto const wanted = judged(alone, frames, 1, lanes);
    stage_bed bed{rules, sizes, 1, expressions::later};
    EXPECT_EQ(judged(bed, frames, lanes, lanes), wanted);
    EXPECT_EQ(bed.alerts(), alone.alerts());
    EXPECT_EQ(bed.late_packets(), alone.late_packets());
    EXPECT_EQ(bed.table().late()->lost() + alone.table().late()->lost(), 0U);
    expect_same_counts(bed.counts(), alone.counts());
    for (auto const& [sid, count] : alone.alerts()) all[sid] += count;
  }
  for (std::uint32_t const sid : {203U, 204U, 205U, 206U, 207U, 208U, 209U, 210U, 212U, 213U})
    EXPECT_TRUE(all.contains(sid)) << sid;
}

}  // namespace
}  // namespace packetwarp::test
