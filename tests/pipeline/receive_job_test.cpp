// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline/receive_job.h"

#include <gtest/gtest.h>

namespace packetwarp {
namespace {

// The packets that a source will give, and its calls.
struct script {
  std::uint32_t arrived{};  // at the port
  std::uint32_t held{};     // taken from the port already
  bool is_chained{};
  int port_polls{};
  std::size_t last_room{};
};

class scripted_source {
 public:
  explicit scripted_source(script& played) : script_{&played} {}
  received_packets receive(std::span<rte_mbuf*> room, cycles) {
    ++script_->port_polls;
    return give(room, script_->arrived);
  }
  received_packets take_held(std::span<rte_mbuf*> room) { return give(room, script_->held); }
  void leave(port_id /*gone*/) {}
  void rejoin(port_id /*back*/) {}

 private:
  received_packets give(std::span<rte_mbuf*> room, std::uint32_t& from) {
    script_->last_room = room.size();
    auto const n = static_cast<std::uint32_t>(std::min<std::size_t>(room.size(), from));
    from -= n;
    return {.count = n, .has_chained = n != 0 && script_->is_chained};
  }
  script* script_;
};

class receive_job_test : public testing::Test {
 protected:
  static constexpr std::uint32_t capacity = 32;
  static constexpr cycles timeout = 1000;

  std::uint32_t poll_at(cycles now, run_phase phase = run_phase::running) {
    return job_.poll({.now = now, .phase = phase});
  }
  // Lets packets arrive and polls.
  std::uint32_t receive_at(cycles now, std::uint32_t packets) {
    script_.arrived = packets;
    return poll_at(now);
  }
  // The size of the next published burst, 0 if none exists; it leaves by release_one().
  std::uint32_t execute_one() {
    auto const* const ready = ring_.next_ready();
    if (ready == nullptr) return 0;
    auto const size = ready->size;
    ring_.take();
    ring_.finish(burst_outcome::mixed());
    return size;
  }
  void release_one() {
    ASSERT_NE(ring_.next_done(), nullptr);
    ring_.release();
  }

  script script_;
  burst_ring ring_{4, capacity};
  receive_counters counters_;
  epoch_origin epochs_;
  receive_job<scripted_source> job_{
      7, scripted_source{script_}, ring_, counters_, {.timeout = timeout, .in_flight = 1}, epochs_};
};

TEST_F(receive_job_test, publishes_a_full_burst_at_once) {
  EXPECT_EQ(receive_at(5, 40), 32u);
  EXPECT_EQ(execute_one(), 32u);
  EXPECT_EQ(counters_.bursts.read(), 1u);
  EXPECT_EQ(script_.arrived, 8u) << "the rest stays at the port";
}

TEST_F(receive_job_test, publishes_a_part_when_the_port_has_no_more_and_nothing_is_in_flight) {
  EXPECT_EQ(receive_at(5, 3), 3u);
  EXPECT_EQ(execute_one(), 3u);
}

TEST_F(receive_job_test, publishes_nothing_when_nothing_came) {
  EXPECT_EQ(receive_at(5, 0), 0u);
  EXPECT_EQ(poll_at(5 + 2 * timeout), 0u);
  EXPECT_EQ(execute_one(), 0u);
  EXPECT_EQ(counters_.bursts.read(), 0u);
}

TEST_F(receive_job_test, lets_a_part_grow_while_another_burst_is_in_flight) {
  ASSERT_EQ(receive_at(5, 32), 32u);
  EXPECT_EQ(receive_at(6, 3), 3u);
  EXPECT_EQ(execute_one(), 32u);
  EXPECT_EQ(execute_one(), 0u) << "still open";
  EXPECT_EQ(receive_at(7, 4), 4u);
  EXPECT_EQ(script_.last_room, capacity - 3);
  EXPECT_EQ(receive_at(8, 100), 25u) << "what is left of the burst";
  EXPECT_EQ(execute_one(), 32u);
}

TEST_F(receive_job_test, publishes_the_part_once_the_burst_ahead_of_it_has_left) {
  ASSERT_EQ(receive_at(5, 32), 32u);
  ASSERT_EQ(receive_at(6, 3), 3u);
  EXPECT_EQ(execute_one(), 32u);
  EXPECT_EQ(poll_at(7), 0u);
  EXPECT_EQ(execute_one(), 0u);
  release_one();
  EXPECT_EQ(poll_at(8), 0u);
  EXPECT_EQ(execute_one(), 3u);
}

TEST_F(receive_job_test, publishes_a_part_when_its_first_packet_is_as_old_as_the_time_out) {
  ASSERT_EQ(receive_at(5, 32), 32u);
  ASSERT_EQ(receive_at(100, 3), 3u);
  ASSERT_EQ(receive_at(900, 2), 2u);
  EXPECT_EQ(execute_one(), 32u);
  EXPECT_EQ(poll_at(100 + timeout - 1), 0u);
  EXPECT_EQ(execute_one(), 0u);
  EXPECT_EQ(poll_at(100 + timeout), 0u);
  ASSERT_NE(ring_.next_ready(), nullptr);
  EXPECT_EQ(ring_.next_ready()->opened, 100u);
  EXPECT_EQ(execute_one(), 5u);
}

TEST_F(receive_job_test, does_not_poll_the_port_while_the_ring_is_full_and_counts_that) {
  for (cycles now = 1; now <= 4; ++now) ASSERT_EQ(receive_at(now, 32), 32u);
  auto const polls = script_.port_polls;
  EXPECT_EQ(receive_at(5, 32), 0u);
  EXPECT_EQ(receive_at(6, 32), 0u);
  EXPECT_EQ(script_.port_polls, polls);
  EXPECT_EQ(counters_.ring_full.read(), 2u);
  EXPECT_EQ(poll_at(7, run_phase::draining), 0u);
  EXPECT_EQ(counters_.ring_full.read(), 2u) << "when draining it would not receive anyway";
  execute_one();
  release_one();
  EXPECT_EQ(receive_at(8, 32), 32u);
}

TEST_F(receive_job_test, marks_a_burst_in_which_some_packet_may_be_chained) {
  ASSERT_EQ(receive_at(5, 32), 32u);
  script_.is_chained = true;
  ASSERT_EQ(receive_at(6, 1), 1u);
  script_.is_chained = false;
  ASSERT_EQ(receive_at(7, 31), 31u);
  EXPECT_FALSE(ring_.next_ready()->has_chained);
  execute_one();
  ASSERT_NE(ring_.next_ready(), nullptr);
  EXPECT_TRUE(ring_.next_ready()->has_chained) << "one is enough";
}

TEST_F(receive_job_test, when_draining_publishes_what_is_open_and_leaves_the_port_alone) {
  ASSERT_EQ(receive_at(5, 32), 32u);
  ASSERT_EQ(receive_at(6, 3), 3u);
  auto const polls = script_.port_polls;
  script_.arrived = 10;
  EXPECT_EQ(poll_at(7, run_phase::draining), 0u);
  EXPECT_EQ(script_.port_polls, polls);
  EXPECT_EQ(execute_one(), 32u);
  EXPECT_EQ(execute_one(), 3u);
  EXPECT_EQ(poll_at(8, run_phase::draining), 0u);
  EXPECT_EQ(execute_one(), 0u) << "no empty bursts";
}

TEST_F(receive_job_test, when_draining_takes_what_its_source_holds_burst_by_burst) {
  script_.held = 40;
  EXPECT_EQ(poll_at(7, run_phase::draining), 32u);
  EXPECT_EQ(poll_at(8, run_phase::abandoning), 8u);
  EXPECT_EQ(execute_one(), 32u);
  EXPECT_EQ(execute_one(), 8u);
  EXPECT_EQ(script_.port_polls, 0);
}

// A burst that fills up at this time has this epoch; it stays in the ring.
TEST_F(receive_job_test, stamps_bursts_with_their_millisecond_since_the_first_one) {
  auto const millisecond = to_cycles(std::chrono::milliseconds{1});
  cycles const start = 7 * millisecond + 5;
  auto const epoch_at = [&](cycles time) {
    EXPECT_EQ(receive_at(start + time, 32), 32u);
    auto const* const ready = ring_.next_ready();
    auto const epoch = ready == nullptr ? 0 : ready->epoch;
    execute_one();
    return epoch;
  };
  EXPECT_EQ(epoch_at(0), 1u);
  EXPECT_EQ(epoch_at(millisecond - 1), 1u);
  release_one();
  release_one();
  EXPECT_EQ(epoch_at(20 * millisecond), 21u) << "the ring was empty";
  EXPECT_EQ(epoch_at(25 * millisecond), 22u) << "a burst of epoch 21 is in the ring";
  EXPECT_EQ(epoch_at(26 * millisecond), 22u) << "and holds the clock";
  release_one();
  EXPECT_EQ(epoch_at(26 * millisecond), 23u);
}

TEST_F(receive_job_test, stamps_a_burst_when_it_is_published_and_not_when_it_is_opened) {
  auto const millisecond = to_cycles(std::chrono::milliseconds{1});
  ASSERT_EQ(receive_at(5, 32), 32u);
  ASSERT_EQ(receive_at(6, 31), 31u);
  ASSERT_NE(execute_one(), 0u);
  EXPECT_EQ(ring_.next_ready(), nullptr) << "still open";
  ASSERT_EQ(receive_at(5 + millisecond, 1), 1u);
  ASSERT_NE(ring_.next_ready(), nullptr);
  EXPECT_EQ(ring_.next_ready()->epoch, 2u);
}

TEST_F(receive_job_test, has_its_pipeline_s_number_in_its_name) { EXPECT_EQ(job_.name(), "receive 7"); }

}  // namespace
}  // namespace packetwarp
