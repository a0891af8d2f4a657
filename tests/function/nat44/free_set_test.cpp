// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/container/free_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace packetwarp::nat::nat44_free_set_tests {
namespace {

class free_set_test : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(free_set::words_for(GetParam()));
  free_set set_{words_.data(), GetParam()};
  void fill() {
    for (std::uint32_t n = 0; n < GetParam(); ++n) set_.give_back(n);
  }
};

TEST_P(free_set_test, gives_every_number_once_wherever_one_starts) {
  EXPECT_EQ(set_.take(0), free_set::none);
  for (unsigned round = 0; round < 3; ++round) {
    fill();
    std::set<std::uint32_t> taken;
    for (std::uint32_t i = 0; i < GetParam(); ++i) {
      auto const n = set_.take(i * 2'654'435'761U % GetParam());
      ASSERT_LT(n, GetParam());
      ASSERT_TRUE(taken.insert(n).second);
    }
    EXPECT_EQ(set_.take(GetParam() / 2), free_set::none);
  }
}

TEST_P(free_set_test, counts_what_is_free_between_any_two_numbers) {
  auto const last = GetParam() - 1;
  EXPECT_EQ(set_.count_free(0, last), 0u);
  fill();
  EXPECT_EQ(set_.count_free(0, last), GetParam());
  for (std::uint32_t n = 0; n < GetParam(); n += 3) ASSERT_TRUE(set_.take_exactly(n));
  for (std::uint32_t const first : {0U, GetParam() / 2, last}) {
    for (std::uint32_t const end : {first, first + (last - first) / 2, last}) {
      std::uint32_t free = 0;
      for (auto n = first; n <= end; ++n) free += set_.is_free(n) ? 1U : 0U;
      EXPECT_EQ(set_.count_free(first, end), free) << first << " to " << end;
    }
  }
}

TEST_P(free_set_test, the_last_free_number_is_found_from_everywhere) {
  for (std::uint32_t last : {0U, GetParam() / 3, GetParam() - 1}) {
    for (std::uint32_t start : {0U, GetParam() / 2, GetParam() - 1}) {
      set_.give_back(last);
      EXPECT_TRUE(set_.is_free(last));
      EXPECT_EQ(set_.take(start), last);
      EXPECT_FALSE(set_.take_exactly(last));
    }
  }
}

TEST_P(free_set_test, takes_the_number_that_is_asked_for) {
  fill();
  for (std::uint32_t n = 0; n < GetParam(); n += 7) {
    EXPECT_TRUE(set_.take_exactly(n));
    EXPECT_FALSE(set_.take_exactly(n));
  }
  EXPECT_NE(set_.take(0), 0u);
}

INSTANTIATE_TEST_SUITE_P(of_size, free_set_test, testing::Values(1u, 63u, 64u, 65u, 4096u, 4097u, 65536u, 300'000u),
                         testing::PrintToStringParamName());

// The steps of threads, in one possible order: A has taken the last number of a word; B gives one back, C takes it, and
// only then B sets the bit above, over a word that is empty.
TEST(free_set, a_bit_set_over_a_word_that_is_empty_again_hides_nothing) {
  constexpr std::uint32_t size = 64 * 64 * 2;  // three levels: 128 words, 2, 1
  std::vector<std::uint64_t> words(free_set::words_for(size));
  free_set const set{words.data(), size};
  constexpr std::uint32_t far = 64 * 64 + 77;
  set.give_back(far);
  for (unsigned level = 1; level <= 2; ++level) {
    words[0] |= 1;                     // B's first step
    ASSERT_TRUE(set.take_exactly(0));  // C
    words[128] |= 1;                   // B's second step
    if (level == 2) words[130] |= 1;   // and third
    for (std::uint32_t start : {0U, 70U, size - 1}) {
      EXPECT_EQ(set.take(start), far) << "from " << start;
      EXPECT_EQ(set.take(start), free_set::none);
      set.give_back(far);
    }
  }
}

TEST(free_set, takes_near_only_what_the_mask_has) {
  std::vector<std::uint64_t> words(free_set::words_for(128));
  free_set const set{words.data(), 128};
  for (std::uint32_t n = 64; n < 70; ++n) set.give_back(n);
  constexpr std::uint64_t even = 0x5555'5555'5555'5555;
  std::set<std::uint32_t> taken;
  for (int i = 0; i < 3; ++i) taken.insert(set.take_near(67, even));
  EXPECT_EQ(taken, (std::set<std::uint32_t>{64, 66, 68}));
  EXPECT_EQ(set.take_near(67, even), free_set::none);
}

}  // namespace
}  // namespace packetwarp::nat::nat44_free_set_tests
