// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "inspection/connections.h"
#include "inspection/stage_bed.h"

namespace packetwarp::test {

// A stream in segments of this size, contents that lie over the ends of segments, and a rule for each content. Their
// sids are 1 to `count`.
struct cut_contents {
  cut_contents(std::size_t size, std::size_t segments) : text(segments * size, '.') {
    std::size_t const step = size < 20 ? 4 : 1;  // contents do not overlap
    for (std::size_t end = step * size; end < text.size(); end += step * size) {
      auto const content = fmt::format("content{:04}.", ++count);
      text.replace(end - 1 - count % (content.size() - 1), content.size(), content);
      rules += fmt::format("alert tcp any any -> any any (content:\"{}\"; sid:{};)\n", content, count);
    }
  }

  std::string text;
  std::string rules;
  std::uint32_t count{};
};

// How many of the contents have not been found in this many connections. None is found twice in one.
[[nodiscard]] inline std::size_t missed_contents(stage_bed& bed, cut_contents const& contents,
                                                 std::size_t connections) {
  std::size_t missed = 0;
  for (std::uint32_t sid = 1; sid <= contents.count; ++sid) {
    auto const seen = bed.alerts().contains(sid) ? bed.alerts().at(sid) : 0;
    EXPECT_LE(seen, connections) << sid;
    missed += connections - seen;
  }
  return missed;
}

// The segments of all connections from one on, in any order.
[[nodiscard]] inline std::vector<frame_bytes> shuffled_segments(std::vector<std::vector<frame_bytes>> const& of,
                                                                std::size_t from, std::size_t count,
                                                                std::mt19937& random) {
  std::vector<frame_bytes> some;
  for (auto const& one : of) {
    auto const first = one.begin() + static_cast<std::ptrdiff_t>(from);
    some.insert(some.end(), first, first + static_cast<std::ptrdiff_t>(count));
  }
  std::shuffle(some.begin(), some.end(), random);
  return some;
}

}  // namespace packetwarp::test
