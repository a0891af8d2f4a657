// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/sequence_window.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace packetwarp::traffic {
namespace {

TEST(sequence_window, tells_the_first_of_a_number_from_its_duplicates) {
  sequence_window window{64};
  EXPECT_EQ(window.mark(0), arrival::first);
  EXPECT_EQ(window.mark(0), arrival::duplicate);
  EXPECT_EQ(window.mark(5), arrival::first);
  EXPECT_EQ(window.mark(3), arrival::first);
  EXPECT_EQ(window.mark(3), arrival::duplicate);
  EXPECT_EQ(window.mark(5), arrival::duplicate);
}

TEST(sequence_window, cannot_tell_what_is_further_back_than_it_reaches) {
  sequence_window window{64};
  EXPECT_EQ(window.mark(100), arrival::first);
  EXPECT_EQ(window.mark(37), arrival::first);
  EXPECT_EQ(window.mark(36), arrival::late);
  EXPECT_EQ(window.mark(0), arrival::late);
}

TEST(sequence_window, forgets_what_it_leaves_behind_even_after_a_long_jump) {
  sequence_window window{128};
  for (std::uint64_t i = 0; i < 128; ++i) ASSERT_EQ(window.mark(i), arrival::first);
  EXPECT_EQ(window.mark(std::uint64_t{1} << 47), arrival::first);
  for (std::uint64_t i = 1; i < 128; ++i) EXPECT_EQ(window.mark((std::uint64_t{1} << 47) - i), arrival::first) << i;
}

TEST(sequence_window, rounds_its_size_up) {
  EXPECT_EQ(sequence_window{1}.size(), 64U);
  EXPECT_EQ(sequence_window{65}.size(), 128U);
  EXPECT_EQ(sequence_window{}.size(), sequence_window::default_size);
}

// Against a set of all numbers, which needs no window.
TEST(sequence_window, agrees_with_a_set_on_shuffled_numbers) {
  std::mt19937_64 random{1};
  sequence_window window{256};
  std::set<std::uint64_t> seen;
  std::uint64_t highest = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    std::uint64_t const number = i + random() % 400;
    highest = std::max(highest, number);
    arrival const expected = number + window.size() <= highest ? arrival::late
                             : seen.insert(number).second      ? arrival::first
                                                               : arrival::duplicate;
    ASSERT_EQ(window.mark(number), expected) << number;
  }
}

}  // namespace
}  // namespace packetwarp::traffic
