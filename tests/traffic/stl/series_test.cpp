// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/series.h"

#include <gmock/gmock.h>

#include <limits>

#include "base/error.h"

namespace packetwarp::traffic::stl {
namespace {

using testing::ElementsAre;

std::vector<std::uint64_t> first_of(series const& from, std::size_t count) {
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(from.at(i));
  return values;
}

series whole(variable const& of) { return {of, series::part::whole, 0}; }

TEST(stl_series, counts_up_from_its_first_value_and_wraps_with_what_is_left_of_a_step) {
  EXPECT_THAT(first_of(whole({.name = "v", .how = progress::inc, .min = 3, .max = 7, .first = 4}), 5),
              ElementsAre(4, 5, 6, 7, 3));
  EXPECT_THAT(first_of(whole({.name = "v", .how = progress::inc, .min = 10, .max = 14, .first = 10, .step = 3}), 6),
              ElementsAre(10, 13, 11, 14, 12, 10));
}

TEST(stl_series, counts_down) {
  EXPECT_THAT(first_of(whole({.name = "v", .how = progress::dec, .min = 3, .max = 5, .first = 5}), 4),
              ElementsAre(5, 4, 3, 5));
  EXPECT_THAT(first_of(whole({.name = "v", .how = progress::dec, .min = 10, .max = 14, .first = 11, .step = 7}), 4),
              ElementsAre(11, 14, 12, 10));
}

TEST(stl_series, holds_all_sixty_four_bits) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(first_of(whole({.name = "v", .how = progress::inc, .max = most, .first = most - 1}), 3),
              ElementsAre(most - 1, most, 0));
  // More than 32 bits, where a product of step and index needs more than 64.
  variable const wide{.name = "v", .how = progress::inc, .max = most - 1, .step = std::uint64_t{1} << 62};
  EXPECT_EQ(whole(wide).at(5), (std::uint64_t{1} << 62) + 1);
}

TEST(stl_series, goes_through_a_list) {
  EXPECT_THAT(first_of(whole({.name = "v", .how = progress::inc, .max = 2, .list = {7, 3, 9}}), 4),
              ElementsAre(7, 3, 9, 7));
  EXPECT_THAT(first_of(whole({.name = "v", .how = progress::dec, .max = 2, .list = {7, 3, 9}}), 4),
              ElementsAre(7, 9, 3, 7));
  EXPECT_THAT(first_of(whole({.name = "v", .how = progress::inc, .max = 0, .list = {5}}), 2), ElementsAre(5, 5));
}

TEST(stl_series, a_tuples_port_goes_up_with_every_round_of_addresses_and_the_limit_begins_anew) {
  variable const tuple{
      .name = "t", .how = progress::tuple, .min = 1, .max = 3, .limit = 7, .port_min = 80, .port_max = 81};
  EXPECT_THAT(first_of({tuple, series::part::ip, 0}, 9), ElementsAre(1, 2, 3, 1, 2, 3, 1, 1, 2));
  EXPECT_THAT(first_of({tuple, series::part::port, 0}, 9), ElementsAre(80, 80, 80, 81, 81, 81, 80, 80, 80));
}

TEST(stl_series, random_values_fill_their_range_follow_the_seed_and_repeat_behind_the_limit) {
  variable random{.name = "r", .how = progress::random, .min = 100, .max = 107};
  std::vector<int> seen(8);
  for (auto const value : first_of(whole(random), 8000)) {
    ASSERT_TRUE(value >= 100 && value <= 107);
    ++seen[value - 100];
  }
  EXPECT_THAT(seen, testing::Each(testing::AllOf(testing::Gt(850), testing::Lt(1150))));
  EXPECT_NE(first_of(whole(random), 20), first_of({random, series::part::whole, 1}, 20));
  auto other = random;
  other.name = "q";
  EXPECT_NE(first_of(whole(random), 20), first_of(whole(other), 20));
  random.limit = 3;
  auto const values = first_of(whole(random), 6);
  EXPECT_TRUE(std::equal(values.begin(), values.begin() + 3, values.begin() + 3));
}

TEST(stl_series, knows_its_bounds) {
  auto const list = whole({.name = "v", .how = progress::inc, .max = 2, .list = {7, 3, 9}});
  EXPECT_EQ(list.smallest(), 3U);
  EXPECT_EQ(list.largest(), 9U);
  EXPECT_THROW((void)series_named("x", {.name = "s", .packet = {}}), failure);
}

}  // namespace
}  // namespace packetwarp::traffic::stl
