// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/container/bucket_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace packetwarp::nat::nat44_bucket_table_tests {
namespace {

class bucket_table_test : public testing::Test {
 protected:
  static constexpr std::uint32_t buckets = 64;
  std::uint32_t find(std::uint64_t key, std::uint64_t hash) {
    return table_.find(hash, [&](std::uint32_t n) { return keys_[n] == key; });
  }
  std::uint32_t insert(std::uint64_t key, std::uint64_t hash, std::uint32_t record) {
    keys_[record] = key;
    return table_.find_or_insert(
        hash, [&](std::uint32_t n) { return keys_[n] == key; }, [record] { return record; });
  }
  [[nodiscard]] bool is_all_zero() const {
    for (auto const& one : memory_) {
      if (one.control != 0) return false;
      for (auto const entry : one.entries) {
        if (entry != 0) return false;
      }
    }
    return true;
  }
  std::vector<bucket> memory_ = std::vector<bucket>(buckets);
  std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(1000);
  bucket_table table_{memory_.data(), buckets - 1};
};

TEST_F(bucket_table_test, finds_what_was_put_in_until_it_is_taken_out) {
  for (std::uint32_t n = 1; n <= 256; ++n) ASSERT_EQ(insert(n * 3, mix(n * 3), n), n);
  for (std::uint32_t n = 1; n <= 256; ++n) EXPECT_EQ(find(n * 3, mix(n * 3)), n);
  EXPECT_EQ(find(5, mix(5)), 0u);
  for (std::uint32_t n = 1; n <= 256; n += 2) EXPECT_TRUE(table_.remove(mix(n * 3), n));
  for (std::uint32_t n = 1; n <= 256; ++n) EXPECT_EQ(find(n * 3, mix(n * 3)), n % 2 == 0 ? n : 0);
  EXPECT_FALSE(table_.remove(mix(3), 1));
}

TEST_F(bucket_table_test, a_key_that_is_there_is_not_put_in_again) {
  ASSERT_EQ(insert(7, mix(7), 1), 1u);
  EXPECT_EQ(insert(7, mix(7), 2), 1u);
  EXPECT_EQ(find(7, mix(7)), 1u);
}

// Keys of one bucket and one tag: the worst case.
TEST_F(bucket_table_test, keys_of_one_hash_fill_the_buckets_behind_and_leave_no_trace) {
  constexpr std::uint32_t room = bucket_table::max_probes * bucket::size;
  constexpr std::uint64_t hash = (std::uint64_t{9} << 32) + buckets - 1;  // around the end
  for (std::uint32_t n = 1; n <= room; ++n) ASSERT_EQ(insert(n, hash, n), n);
  EXPECT_EQ(insert(room + 1, hash, room + 1), 0u);
  for (std::uint32_t n = 1; n <= room; ++n) EXPECT_EQ(find(n, hash), n);
  EXPECT_EQ(find(room + 1, hash), 0u);
  for (std::uint32_t n = 1; n <= room; ++n) EXPECT_TRUE(table_.remove(hash, n));
  EXPECT_TRUE(is_all_zero());
}

TEST_F(bucket_table_test, what_lies_behind_is_found_when_what_was_in_front_has_gone) {
  constexpr std::uint64_t hash = 5;
  for (std::uint32_t n = 1; n <= 20; ++n) ASSERT_EQ(insert(n, hash, n), n);
  for (std::uint32_t n = 1; n <= 14; ++n) EXPECT_TRUE(table_.remove(hash, n));
  for (std::uint32_t n = 15; n <= 20; ++n) EXPECT_EQ(find(n, hash), n);
  EXPECT_EQ(insert(21, hash, 21), 21u);
  for (std::uint32_t n = 15; n <= 21; ++n) EXPECT_TRUE(table_.remove(hash, n));
  EXPECT_TRUE(is_all_zero());
}

}  // namespace
}  // namespace packetwarp::nat::nat44_bucket_table_tests
