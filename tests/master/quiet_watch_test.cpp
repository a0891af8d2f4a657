// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/quiet_watch.h"

#include <gtest/gtest.h>

namespace packetwarp {
namespace {

class idle_job final : public job {
 public:
  std::uint32_t poll(tick const&) override { return 0; }
  [[nodiscard]] std::string name() const override { return "idle"; }
};

class quiet_watch_test : public testing::Test {
 protected:
  quiet_watch_test() { workers_.on(lcore_id{0}).add(nothing_); }
  void turn(int times) {
    for (int i = 0; i < times; ++i) workers_.on(lcore_id{0}).run_once();
  }

  static constexpr std::chrono::milliseconds time{10};
  cycles const began_{now_cycles()};
  cycles const later_{began_ + to_cycles(time)};
  workforce workers_;
  idle_job nothing_;
  quiet_watch watch_{time};
};

TEST_F(quiet_watch_test, is_quiet_when_the_count_stood_still_and_every_worker_looked) {
  EXPECT_FALSE(watch_.is_quiet(5, workers_, began_));
  turn(1000);
  EXPECT_FALSE(watch_.is_quiet(5, workers_, later_ - 1));
  EXPECT_TRUE(watch_.is_quiet(5, workers_, later_));
}

TEST_F(quiet_watch_test, waits_for_a_worker_that_was_kept_from_looking) {
  EXPECT_FALSE(watch_.is_quiet(5, workers_, began_));
  turn(2);
  EXPECT_FALSE(watch_.is_quiet(5, workers_, later_ * 2));
  turn(1000);
  EXPECT_TRUE(watch_.is_quiet(5, workers_, later_ * 2));
}

TEST_F(quiet_watch_test, begins_anew_when_the_count_moves) {
  EXPECT_FALSE(watch_.is_quiet(5, workers_, began_));
  turn(1000);
  EXPECT_FALSE(watch_.is_quiet(6, workers_, later_));
  turn(1000);
  EXPECT_FALSE(watch_.is_quiet(6, workers_, later_ + 1));
  EXPECT_TRUE(watch_.is_quiet(6, workers_, later_ + to_cycles(time)));
}

}  // namespace
}  // namespace packetwarp
