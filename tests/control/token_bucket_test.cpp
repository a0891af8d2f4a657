// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "control/icmp_error.h"

namespace packetwarp {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

unsigned taken_at(token_bucket& bucket, control_time now) {
  unsigned taken = 0;
  while (taken < 1000 && bucket.take(now)) ++taken;
  return taken;
}

TEST(token_bucket, starts_full_and_fills_at_its_rate) {
  token_bucket bucket{10, 5};
  EXPECT_EQ(taken_at(bucket, {}), 5u);
  EXPECT_EQ(taken_at(bucket, milliseconds{99}), 0u);
  EXPECT_EQ(taken_at(bucket, milliseconds{100}), 1u);
  EXPECT_EQ(taken_at(bucket, milliseconds{350}), 2u);
  EXPECT_EQ(taken_at(bucket, milliseconds{400}), 1u) << "halves are not lost";
}

TEST(token_bucket, holds_no_more_than_it_is_big_however_long_it_waits) {
  token_bucket bucket{4'000'000'000, 5};
  EXPECT_EQ(taken_at(bucket, hours{24 * 365 * 100}), 5u);
  token_bucket slow{1, 5};
  EXPECT_EQ(taken_at(slow, {}), 5u);
  EXPECT_EQ(taken_at(slow, hours{24 * 365 * 100}), 5u);
}

TEST(token_bucket, of_rate_zero_never_fills) {
  token_bucket bucket{0, 2};
  EXPECT_EQ(taken_at(bucket, {}), 2u);
  EXPECT_EQ(taken_at(bucket, hours{1000}), 0u);
}

TEST(token_bucket, is_not_confused_by_a_clock_that_stands_or_goes_back) {
  token_bucket bucket{1000, 1};
  EXPECT_EQ(taken_at(bucket, milliseconds{500}), 1u);
  EXPECT_EQ(taken_at(bucket, milliseconds{500}), 0u);
  EXPECT_EQ(taken_at(bucket, milliseconds{100}), 0u);
}

}  // namespace
}  // namespace packetwarp
