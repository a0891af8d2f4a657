// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/epoch_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

namespace packetwarp {
namespace {

// The ring's other roles are played by the test.
class epoch_clock_test : public testing::Test {
 protected:
  static constexpr cycles length = 100;
  static constexpr cycles start = 1'000'000'000;

  // Publishes a burst after this time since the start, and returns its epoch.
  epoch_number publish_after(cycles time) {
    EXPECT_NE(ring_.open(), nullptr);
    auto const epoch = clock_.stamp(start + time, ring_);
    ring_.publish(epoch);
    return epoch;
  }
  // The oldest burst leaves the ring; returns its epoch.
  epoch_number release_one() {
    EXPECT_NE(ring_.next_ready(), nullptr);
    ring_.take();
    ring_.finish(burst_outcome::mixed());
    auto const epoch = ring_.next_done()->epoch;
    ring_.release();
    return epoch;
  }
  // A burst that leaves at once.
  epoch_number pass_after(cycles time) {
    auto const epoch = publish_after(time);
    release_one();
    return epoch;
  }

  burst_ring ring_{64, 1};
  epoch_origin origin_;
  epoch_clock clock_{length, origin_};
};

TEST_F(epoch_clock_test, begins_with_epoch_one_at_the_first_burst) {
  EXPECT_EQ(pass_after(0), 1u);
  EXPECT_EQ(pass_after(length - 1), 1u);
  EXPECT_EQ(pass_after(length), 2u);
}

TEST_F(epoch_clock_test, follows_time_while_bursts_leave) {
  for (cycles time = 0; time < 50 * length; time += 7) EXPECT_EQ(pass_after(time), 1 + time / length) << time;
}

TEST_F(epoch_clock_test, jumps_over_a_time_without_bursts) {
  EXPECT_EQ(pass_after(0), 1u);
  EXPECT_EQ(pass_after(5 * length + 3), 6u);
  EXPECT_EQ(pass_after(6 * length - 1), 6u);
  EXPECT_EQ(pass_after(1'000'000 * length), 1'000'001u);
}

TEST_F(epoch_clock_test, gives_one_more_epoch_while_bursts_of_the_current_one_are_in_the_ring) {
  EXPECT_EQ(publish_after(0), 1u);
  EXPECT_EQ(publish_after(length), 2u);
  EXPECT_EQ(publish_after(2 * length), 2u) << "a burst of epoch 1 is in the ring";
  EXPECT_EQ(release_one(), 1u);
  EXPECT_EQ(publish_after(2 * length), 3u) << "those of epoch 2 may be";
}

TEST_F(epoch_clock_test, does_not_jump_over_bursts_in_the_ring) {
  EXPECT_EQ(publish_after(0), 1u);
  EXPECT_EQ(publish_after(9 * length), 2u) << "a jump to 10 would take epoch 1 for finished";
  release_one();
  EXPECT_EQ(publish_after(9 * length), 3u);
  release_one();
  release_one();
  EXPECT_EQ(publish_after(9 * length), 10u) << "the ring is empty";
}

TEST_F(epoch_clock_test, is_held_by_a_burst_that_stays) {
  EXPECT_EQ(publish_after(0), 1u);
  for (cycles n = 1; n < 60; ++n) EXPECT_EQ(publish_after(n * length), 2u);
  release_one();
  EXPECT_EQ(publish_after(60 * length), 3u);
  EXPECT_EQ(publish_after(60 * length), 3u) << "bursts of epoch 2 are in the ring";
}

TEST_F(epoch_clock_test, is_not_held_by_a_burst_that_is_published_after_the_others_have_left) {
  EXPECT_EQ(publish_after(0), 1u);
  EXPECT_EQ(publish_after(length), 2u);
  release_one();
  release_one();
  EXPECT_EQ(publish_after(length), 2u);
  EXPECT_EQ(publish_after(2 * length), 3u);
}

TEST_F(epoch_clock_test, takes_a_length_of_no_cycles_for_one_cycle) {
  epoch_clock clock{0, origin_};
  EXPECT_EQ(clock.stamp(5, ring_), 1u);
  EXPECT_EQ(clock.stamp(8, ring_), 4u);
}

TEST_F(epoch_clock_test, a_ring_that_begins_later_has_the_epoch_of_the_others) {
  EXPECT_EQ(pass_after(0), 1u);
  EXPECT_EQ(pass_after(7 * length), 8u);
  burst_ring other{64, 1};
  epoch_clock of_other{length, origin_};
  EXPECT_EQ(of_other.stamp(start + 9 * length - 1, other), 9u);
  EXPECT_EQ(of_other.stamp(start + 9 * length, other), 10u);
  EXPECT_EQ(pass_after(9 * length), 10u);
}

TEST_F(epoch_clock_test, a_ring_whose_cpu_is_a_little_behind_begins_with_epoch_one) {
  EXPECT_EQ(pass_after(0), 1u);
  burst_ring other{64, 1};
  epoch_clock of_other{length, origin_};
  EXPECT_EQ(of_other.stamp(start - 5, other), 1u);
  EXPECT_EQ(of_other.stamp(start + length, other), 2u);
}

TEST_F(epoch_clock_test, a_stuck_ring_holds_no_other_one) {
  EXPECT_EQ(publish_after(0), 1u);
  burst_ring other{64, 1};
  epoch_clock of_other{length, origin_};
  EXPECT_EQ(of_other.stamp(start + 50 * length, other), 51u);
  EXPECT_EQ(publish_after(50 * length), 2u);
}

// The promise, whatever the roles do.
TEST_F(epoch_clock_test, has_bursts_of_two_neighbouring_epochs_in_the_ring_at_most) {
  std::mt19937 random{1};
  std::deque<epoch_number> in_ring{publish_after(0)};
  cycles time = 0;
  epoch_number last = first_epoch;
  bool has_caught_up = false;
  for (int step = 0; step < 200'000; ++step) {
    time += random() % 16 == 0 ? random() % (8 * length) : random() % 20;
    auto const leave = random() % 8 == 0 ? in_ring.size() : std::min<std::size_t>(random() % 3, in_ring.size());
    for (std::size_t n = 0; n < leave; ++n, in_ring.pop_front()) ASSERT_EQ(release_one(), in_ring.front());
    if (ring_.open() == nullptr) continue;
    bool const was_empty = in_ring.empty();
    in_ring.push_back(publish_after(time));
    ASSERT_GE(in_ring.back(), last);
    ASSERT_LE(in_ring.back(), 1 + time / length);
    ASSERT_LE(in_ring.back() - in_ring.front(), 1u) << step;
    if (was_empty) {
      ASSERT_EQ(in_ring.back(), 1 + time / length) << step;
      has_caught_up = true;
    }
    last = in_ring.back();
  }
  EXPECT_TRUE(has_caught_up);
  EXPECT_GT(last, 1000u);
}

}  // namespace
}  // namespace packetwarp
