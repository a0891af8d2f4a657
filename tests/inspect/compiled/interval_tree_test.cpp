// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/compiled/interval_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <vector>

namespace packetwarp::inspect {
namespace {

constexpr std::uint32_t greatest = ~std::uint32_t{0};

// Trees as they lie in compiled rules.
class trees {
 public:
  [[nodiscard]] interval_tree put(std::vector<std::uint32_t> const& begins) {
    auto const numbers = tree_of_intervals(begins);
    interval_tree const made{static_cast<std::uint32_t>(used_ * sizeof(node)),
                             static_cast<std::uint32_t>(begins.size()), levels_of_intervals(begins.size())};
    EXPECT_EQ(numbers.size() % node_numbers, 0U);
    EXPECT_LE(used_ + numbers.size() / node_numbers, nodes_.size());
    std::memcpy(nodes_.data() + used_, numbers.data(), numbers.size() * sizeof numbers[0]);
    used_ += numbers.size() / node_numbers;
    return made;
  }
  [[nodiscard]] std::byte const* base() const { return reinterpret_cast<std::byte const*>(nodes_.data()); }

 private:
  struct alignas(interval_tree::alignment) node {
    std::uint32_t numbers[node_numbers];
  };

  std::vector<node> nodes_ = std::vector<node>(20'000);
  std::size_t used_{};
};

[[nodiscard]] std::vector<std::uint32_t> random_begins(std::size_t count, std::uint32_t most, std::mt19937& random) {
  std::set<std::uint32_t> made{0};
  std::uniform_int_distribution<std::uint32_t> number{1, most};
  while (made.size() < count) made.insert(number(random));
  return {made.begin(), made.end()};
}

[[nodiscard]] std::uint32_t interval_of(std::vector<std::uint32_t> const& begins, std::uint32_t number) {
  return static_cast<std::uint32_t>(std::upper_bound(begins.begin(), begins.end(), number) - begins.begin() - 1);
}

// The numbers at the edges of intervals, and others.
[[nodiscard]] std::vector<std::uint32_t> asked_numbers(std::vector<std::uint32_t> const& begins, std::mt19937& random) {
  std::vector<std::uint32_t> made{0, 1, greatest - 1, greatest};
  for (std::size_t i = 0; i < begins.size(); i += 1 + begins.size() / 500) {
    made.insert(made.end(), {begins[i] - 1, begins[i], begins[i] + 1});
  }
  for (int i = 0; i < 100; ++i) made.push_back(static_cast<std::uint32_t>(random()));
  return made;
}

TEST(interval_tree, has_a_level_for_each_eighth) {
  EXPECT_EQ(levels_of_intervals(1), 1U);
  EXPECT_EQ(levels_of_intervals(8), 1U);
  EXPECT_EQ(levels_of_intervals(9), 2U);
  EXPECT_EQ(levels_of_intervals(64), 2U);
  EXPECT_EQ(levels_of_intervals(65), 3U);
  EXPECT_EQ(levels_of_intervals(22'816), 5U);
}

TEST(interval_tree, finds_the_intervals_that_a_binary_search_finds) {
  std::mt19937 random{11};
  for (unsigned const count : {1U, 2U, 7U, 8U, 9U, 63U, 64U, 65U, 511U, 512U, 513U, 4096U, 4097U, 22'816U}) {
    auto begins = random_begins(count, greatest - 2, random);
    for (bool const has_greatest : {false, true}) {
      if (has_greatest && count > 1) begins.back() = greatest;
      trees all;
      auto const tree = all.put(begins);
      for (auto const number : asked_numbers(begins, random)) {
        interval_search<1> const found{all.base(), {number}, [&](std::uint32_t) { return tree; }};
        ASSERT_EQ(found[0], interval_of(begins, number)) << count << ' ' << number;
      }
    }
  }
}

TEST(interval_tree, searches_trees_of_different_heights_side_by_side) {
  std::mt19937 random{12};
  std::vector<std::uint32_t> const begins[] = {random_begins(5000, greatest, random), random_begins(1, 1, random),
                                               random_begins(300, 65'535, random), random_begins(20, 65'535, random)};
  trees all;
  interval_tree placed[std::size(begins)];
  for (std::size_t i = 0; i < std::size(begins); ++i) placed[i] = all.put(begins[i]);
  for (int n = 0; n < 2000; ++n) {
    std::uint32_t const numbers[] = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()),
                                     static_cast<std::uint32_t>(random() % 65'536),
                                     static_cast<std::uint32_t>(random() % 65'536)};
    interval_search<4> const found{all.base(), numbers, [&](std::uint32_t i) { return placed[i]; }};
    for (std::uint32_t i = 0; i < std::size(begins); ++i) ASSERT_EQ(found[i], interval_of(begins[i], numbers[i]));
  }
}

}  // namespace
}  // namespace packetwarp::inspect
