// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/bandwidth/write_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "rdma/bandwidth/pattern.h"

namespace packetwarp::rdma {
namespace {

TEST(write_test, every_byte_of_the_target_is_written_and_checked) {
  write_test test{{.queues = 3, .posts = 16, .largest = 4096}};
  std::uint64_t writes = 0, bytes = 0;
  for (std::uint32_t size : {1U, 7U, 64U, 4096U}) {
    auto const result = test.run(size, 5);
    EXPECT_EQ(result.checked_bytes, 3U * 16 * size);
    EXPECT_EQ(result.iterations, 5U);
    EXPECT_GT(result.average_bytes, 0);
    EXPECT_NEAR(result.average_bytes, result.messages * size, result.average_bytes / 1e6);
    writes += 3U * 16 * 5;
    bytes += 3U * 16 * 5 * size;
  }
  auto const counters = test.stop();
  EXPECT_EQ(counters.writes, writes);
  EXPECT_EQ(counters.bytes, bytes);
  EXPECT_EQ(counters.completions, 4U * 3 * 5);
}

TEST(write_test, a_region_of_many_blocks_is_written_and_checked) {
  constexpr std::uint32_t bytes = (1 << 20) + 8;
  write_test test{{.queues = 2, .posts = 3, .largest = bytes}};
  EXPECT_EQ(test.run(bytes, 1).checked_bytes, 6U * bytes);
  EXPECT_EQ(test.run(999, 1).checked_bytes, 6U * 999) << "of less than a block";
}

TEST(write_test, memory_without_bound_is_refused) {
  EXPECT_THROW((write_test{{.queues = 256, .posts = 16384, .largest = 65536}}), usage_error);
  try {
    write_test const test{{.queues = 128, .posts = 16384, .largest = 2048}};
    ADD_FAILURE() << "it is taken";
  } catch (usage_error const& wrong) {
    EXPECT_STREQ(
        wrong.what(),
        "128 queues of 16384 posts of 2048 bytes take 4.00 GiB of source and as much of target; the most is 2.00 GiB "
        "each: give fewer or smaller ones");
  }
}

TEST(write_test, a_gpu_that_is_not_there_is_one_line) {
  if (!find_gpus().empty()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THROW((write_test{{.posting = initiator::gpu}}), usage_error);
  EXPECT_THROW((write_test{{.engine = transport::gpu}}), usage_error);
  EXPECT_THROW((write_test{{.posting = initiator::gpu, .engine = transport::gpu, .target_gpu = 1}}), usage_error);
  EXPECT_THROW((write_test{{.posting = initiator::gpu, .engine = transport::store}}), usage_error);
}

TEST(write_test, a_transport_without_a_target_in_a_gpu_is_refused) {
  EXPECT_THROW((write_test{{.target_gpu = 1}}), usage_error);
}
TEST(write_test, stores_are_for_threads_of_a_gpu) {
  EXPECT_THROW((write_test{{.engine = transport::store}}), usage_error);
}

TEST(pattern, is_the_same_in_pieces) {
  auto const whole = make_pattern(1003, 7);
  std::vector<std::byte> pieces(whole.size());
  for (std::size_t at = 0; at < pieces.size(); at += 24)
    fill_pattern(std::span{pieces}.subspan(at, std::min<std::size_t>(24, pieces.size() - at)), 7, at);
  EXPECT_EQ(pieces, whole);
}

TEST(pattern, places_and_seeds_differ) {
  auto const one = make_pattern(1000, 1), other = make_pattern(1000, 2);
  EXPECT_EQ(one, make_pattern(1000, 1));
  EXPECT_LT(first_difference(one, other), 8U);
  auto shifted = one;
  shifted.erase(shifted.begin());
  shifted.push_back(std::byte{0});
  EXPECT_LT(first_difference(shifted, one), 8U) << "a write at a wrong place is found";
  auto changed = one;
  changed[777] ^= std::byte{1};
  EXPECT_EQ(first_difference(changed, one), 777U);
  EXPECT_EQ(first_difference(one, one), one.size());
}

}  // namespace
}  // namespace packetwarp::rdma
