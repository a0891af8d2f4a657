// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/direct_put.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "rdma/bandwidth/pattern.h"

namespace packetwarp::rdma {
namespace {

// A thread of a group whose threads run one after another.
struct rank_of_group {
  std::uint32_t rank;
  std::uint32_t count;
  [[nodiscard]] std::uint32_t thread_rank() const { return rank; }
  [[nodiscard]] std::uint32_t size() const { return count; }
  static void sync() {}
};

// The bytes of a put are those of memcpy, and all others are as they were.
void expect_put(std::uint32_t threads, std::size_t to, std::size_t from, std::size_t bytes) {
  alignas(64) static std::byte source[4096], target[4096];
  auto const sent = make_pattern(sizeof source, to * 64 + from);
  std::memcpy(source, sent.data(), sizeof source);
  std::memset(target, 0xee, sizeof target);
  std::vector<std::byte> expected(sizeof target, std::byte{0xee});
  std::memcpy(expected.data() + to, sent.data() + from, bytes);
  for (std::uint32_t rank = 0; rank < threads; ++rank)
    put(rank_of_group{rank, threads}, target + to, source + from, bytes);
  ASSERT_EQ(std::memcmp(target, expected.data(), sizeof target), 0)
      << threads << " threads, to " << to << ", from " << from << ", " << bytes << " bytes";
}

TEST(direct_put, all_places_and_small_sizes) {
  for (std::uint32_t const threads : {1U, 3U, 32U}) {
    for (std::size_t to = 16; to < 33; ++to) {
      for (std::size_t from = 16; from < 33; ++from) {
        for (std::size_t bytes = 0; bytes < 70; ++bytes) expect_put(threads, to, from, bytes);
      }
    }
  }
}

TEST(direct_put, sizes_around_the_steps_of_a_group) {
  for (std::uint32_t const threads : {1U, 2U, 7U, 32U, 512U}) {
    for (std::size_t const distance : {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{8}}) {
      for (std::size_t bytes = 100; bytes < 3000; bytes += bytes % 16 == 0 ? 15 : 1)
        expect_put(threads, 17 + distance, 17, bytes);
    }
  }
}

TEST(direct_put, a_signal_that_does_not_come_ends_the_wait) {
  std::uint64_t const signal = 4;
  EXPECT_TRUE(await_signal(signal, 4, patience{0}));
  EXPECT_FALSE(await_signal(signal, 5, patience{1000}));
}

}  // namespace
}  // namespace packetwarp::rdma
