// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "feature/level.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string_view>

#include "feature/row.h"

namespace packetwarp::feature {
namespace {

TEST(feature_level, has_four_steps_per_doubling) {
  constexpr std::pair<std::uint64_t, int> table[]{{0, 0},
                                                  {1, 1},
                                                  {2, 5},
                                                  {3, 7},
                                                  {4, 9},
                                                  {5, 10},
                                                  {6, 11},
                                                  {7, 12},
                                                  {8, 13},
                                                  {9, 13},
                                                  {10, 14},
                                                  {11, 14},
                                                  {12, 15},
                                                  {13, 15},
                                                  {14, 16},
                                                  {15, 16},
                                                  {16, 17},
                                                  {20, 18},
                                                  {24, 19},
                                                  {28, 20},
                                                  {31, 20},
                                                  {32, 21},
                                                  {60, 24},
                                                  {64, 25},
                                                  {255, 32},
                                                  {256, 33},
                                                  {511, 36},
                                                  {512, 37},
                                                  {1024, 41},
                                                  {1279, 41},
                                                  {1280, 42},
                                                  {1500, 42},
                                                  {65'535, 64},
                                                  {65'536, 65},
                                                  {0x7fff'ffff, 124},
                                                  {0x8000'0000, 125},
                                                  {0xa000'0000, 126},
                                                  {0xc000'0000, 127},
                                                  {0xffff'ffff, 127},
                                                  {std::uint64_t{1} << 40, 127},
                                                  {~std::uint64_t{0}, 127}};
  for (auto const& [count, wanted] : table) EXPECT_EQ(level(count), wanted) << count;
}

TEST(feature_level, never_falls) {
  int before = 0;
  for (std::uint64_t count = 0; count < 70'000; ++count) {
    ASSERT_GE(level(count), before) << count;
    before = level(count);
  }
}

TEST(feature_names, are_different) {
  EXPECT_EQ((std::set<std::string_view>{names.begin(), names.end()}.size()), features);
  EXPECT_EQ(names[static_cast<std::size_t>(place::to_service)], "to_service");
  EXPECT_EQ(names[static_cast<std::size_t>(place::flow_rate)], "flow_rate");
  EXPECT_EQ(names[static_cast<std::size_t>(place::source_got_icmp)], "source_got_icmp");
  EXPECT_EQ(names[static_cast<std::size_t>(place::destination_sent_rst)], "destination_sent_rst");
  EXPECT_EQ(names[static_cast<std::size_t>(place::destination_sent_icmp)], "destination_sent_icmp");
  EXPECT_EQ(names.back(), "destination_sent_slow_peers");
}

}  // namespace
}  // namespace packetwarp::feature
