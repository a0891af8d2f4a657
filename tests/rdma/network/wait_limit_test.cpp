// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/wait_limit.h"

#include <gtest/gtest.h>

namespace packetwarp::rdma {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

TEST(wait_limit, is_the_least_for_a_few_bytes_and_the_default_time_out) {
  EXPECT_EQ(wait_limit(0, {}, completion_wait).nanoseconds, 600 * second);
  EXPECT_EQ(wait_limit(2 << 20, {}, peer_wait).nanoseconds, 10 * second);
}

// rdma-bw -s 8m -q 8: an iteration of 512 writes per queue.
TEST(wait_limit, has_time_for_all_bytes_of_an_iteration_on_a_slow_link) {
  constexpr std::uint64_t mib_of_iteration = 8 * 512 * 8;
  EXPECT_GE(wait_limit(mib_of_iteration << 20, {}, completion_wait).nanoseconds, mib_of_iteration * second);
  // The most that options allow: 128 queues of 16,384 writes.
  constexpr std::uint64_t most_mib = std::uint64_t{128} * 16384 * 8;
  EXPECT_GE(wait_limit(most_mib << 20, {}, completion_wait).nanoseconds, most_mib * second);
}

// rdma-bw -u 31
TEST(wait_limit, is_beyond_all_retries_of_a_long_time_out) {
  constexpr std::uint64_t timeout = std::uint64_t{4096} << 31;
  EXPECT_GT(wait_limit(64, {.timeout_code = 31}, completion_wait).nanoseconds, 8 * timeout);
  EXPECT_GT(wait_limit(64, {.timeout_code = 31, .retries = 0}, completion_wait).nanoseconds, timeout);
}

}  // namespace
}  // namespace packetwarp::rdma
