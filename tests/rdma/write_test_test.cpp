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

TEST(write_test, memory_without_bound_is_refused) {
  EXPECT_THROW((write_test{{.queues = 256, .posts = 16384, .largest = 65536}}), usage_error);
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
