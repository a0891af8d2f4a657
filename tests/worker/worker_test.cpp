// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace packetwarp {
namespace {

using testing::ElementsAre;

// Moves a fixed number of packets per poll and remembers how it was polled.
class counting_job final : public job {
 public:
  counting_job(std::vector<int>& order, int number, std::uint32_t packets)
      : order_{order}, number_{number}, packets_{packets} {}
  std::uint32_t poll(tick const& t) override {
    order_.push_back(number_);
    ticks.push_back(t);
    if (on_poll) on_poll();
    return packets_;
  }
  [[nodiscard]] std::string name() const override { return "count"; }

  std::vector<tick> ticks;
  std::function<void()> on_poll;

 private:
  std::vector<int>& order_;
  int number_;
  std::uint32_t packets_;
};

class worker_test : public testing::Test {
 protected:
  worker_signals signals_;
  std::atomic<run_phase>& phase_{signals_.phase};
  worker worker_{signals_};
  std::vector<int> order_;
};

TEST_F(worker_test, polls_its_jobs_in_turn_in_the_order_they_were_added) {
  counting_job first{order_, 1, 0}, second{order_, 2, 0}, third{order_, 3, 0};
  EXPECT_FALSE(worker_.has_jobs());
  for (auto* added : {&first, &second, &third}) worker_.add(*added);
  EXPECT_TRUE(worker_.has_jobs());
  worker_.run_once();
  worker_.run_once();
  EXPECT_THAT(order_, ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_EQ(worker_.loops(), 2u);
}

TEST_F(worker_test, says_how_many_packets_a_turn_moved) {
  counting_job five{order_, 1, 5}, none{order_, 2, 0}, seven{order_, 3, 7};
  for (auto* added : {&five, &none, &seven}) worker_.add(*added);
  for (int turn = 0; turn < 40; ++turn) EXPECT_EQ(worker_.run_once(), 12u) << turn;
}

TEST_F(worker_test, tells_jobs_the_phase_and_a_clock_that_never_goes_back) {
  counting_job watched{order_, 1, 0};
  worker_.add(watched);
  for (auto const phase : {run_phase::running, run_phase::draining, run_phase::abandoning}) {
    phase_ = phase;
    for (int turn = 0; turn < 20; ++turn) worker_.run_once();
  }
  ASSERT_EQ(watched.ticks.size(), 60u);
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_EQ(watched.ticks[i].phase, i < 20   ? run_phase::running
                                      : i < 40 ? run_phase::draining
                                               : run_phase::abandoning);
    EXPECT_GE(watched.ticks[i].now, watched.ticks[i == 0 ? 0 : i - 1].now);
  }
}

TEST_F(worker_test, sleeps_behind_turns_that_move_nothing_if_it_is_to_and_counts_the_time_as_idle) {
  counting_job idle{order_, 1, 0};
  worker_.add(idle);
  worker_.record_big_loops(to_cycles(std::chrono::milliseconds{1}));
  worker_.sleep_when_idle(std::chrono::milliseconds{1});
  auto const began = now_cycles();
  for (int turn = 0; turn < 64 + 5; ++turn) worker_.run_once();
  auto const took = now_cycles() - began;
  EXPECT_GE(took, 5 * to_cycles(std::chrono::milliseconds{1}));
  EXPECT_EQ(worker_.busy_cycles(), 0u);
  EXPECT_GE(worker_.all_cycles(), 5 * to_cycles(std::chrono::milliseconds{1}));
  EXPECT_LE(worker_.big().read().longest, took - 5 * to_cycles(std::chrono::milliseconds{1}));
}

TEST_F(worker_test, does_not_sleep_while_packets_move_nor_while_it_drains) {
  counting_job sometimes{order_, 1, 0}, always{order_, 2, 1};
  worker other{signals_};
  worker_.add(sometimes);
  other.add(always);
  // Longer than any test may take.
  for (auto* const w : {&worker_, &other}) w->sleep_when_idle(std::chrono::hours{1});
  for (int turn = 0; turn < 200; ++turn) other.run_once();
  for (int turn = 0; turn < 64; ++turn) worker_.run_once();
  phase_ = run_phase::draining;
  for (int turn = 0; turn < 200; ++turn) worker_.run_once();
  EXPECT_EQ(worker_.loops(), 264u);
}

TEST_F(worker_test, counts_turns_that_moved_packets_as_busy_and_others_not) {
  counting_job idle{order_, 1, 0};
  worker_.add(idle);
  for (int turn = 0; turn < 100; ++turn) worker_.run_once();
  EXPECT_EQ(worker_.busy_cycles(), 0u);
  EXPECT_GT(worker_.all_cycles(), 0u);
  counting_job busy{order_, 2, 1};
  worker_.add(busy);
  auto const before = worker_.all_cycles();
  for (int turn = 0; turn < 100; ++turn) worker_.run_once();
  EXPECT_GT(worker_.busy_cycles(), 0u);
  EXPECT_EQ(worker_.busy_cycles(), worker_.all_cycles() - before);
}

TEST_F(worker_test, looks_at_the_first_turns_and_then_one_in_sixteen_job_by_job) {
  counting_job five{order_, 1, 5}, none{order_, 2, 0};
  worker_.add(five);
  worker_.add(none);
  for (int turn = 0; turn < 1024 + 64; ++turn) worker_.run_once();
  auto const& accounts = worker_.accounts();
  ASSERT_EQ(accounts.size(), 2u);
  EXPECT_EQ(accounts[0]->what, &five);
  EXPECT_EQ(accounts[0]->calls.read(), 1024u + 4);
  EXPECT_EQ(accounts[0]->packets.read(), (1024u + 4) * 5);
  EXPECT_GT(accounts[0]->cycles.read(), 0u);
  EXPECT_LE(accounts[0]->cycles.read(), worker_.busy_cycles());
  EXPECT_EQ(accounts[1]->calls.read(), 0u);
  EXPECT_EQ(accounts[1]->packets.read(), 0u);
  EXPECT_EQ(accounts[1]->cycles.read(), 0u) << "polls that moved nothing cost nothing";
}

TEST_F(worker_test, takes_what_its_thread_did_between_turns_for_no_turns_time) {
  counting_job busy{order_, 1, 1};
  worker_.add(busy);
  worker_.run_once();
  auto const before = worker_.busy_cycles();
  auto const all = worker_.all_cycles();
  constexpr cycles elsewhere = 1'000'000'000'000;
  auto const now = now_cycles() + elsewhere;
  worker_.resume(now);
  EXPECT_EQ(worker_.busy_cycles(), before);
  EXPECT_GE(worker_.all_cycles(), all + elsewhere) << "it is time nonetheless";
}

TEST_F(worker_test, runs_until_it_is_halted) {
  counting_job job{order_, 1, 0};
  job.on_poll = [&] {
    if (order_.size() == 50) phase_ = run_phase::halted;
  };
  worker_.add(job);
  EXPECT_FALSE(worker_.has_returned());
  worker_.run();
  EXPECT_TRUE(worker_.has_returned());
  EXPECT_EQ(worker_.loops(), 50u);
  worker_.run();
  EXPECT_EQ(worker_.loops(), 50u) << "halted is for good";
}

}  // namespace
}  // namespace packetwarp
