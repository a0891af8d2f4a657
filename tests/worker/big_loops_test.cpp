// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/big_loops.h"

#include <gtest/gtest.h>

#include "worker/worker.h"

namespace packetwarp {
namespace {

TEST(big_loop_recorder, records_nothing_unless_it_is_told_to) {
  big_loop_recorder recorder;
  EXPECT_FALSE(recorder.is_big(std::numeric_limits<cycles>::max() - 1));
  recorder.set_threshold(100);
  EXPECT_FALSE(recorder.is_big(99));
  EXPECT_TRUE(recorder.is_big(100));
  recorder.set_threshold(0);
  EXPECT_FALSE(recorder.is_big(100)) << "off";
}

TEST(big_loop_recorder, keeps_how_many_there_were_and_the_longest) {
  big_loop_recorder recorder;
  recorder.record(1000, 200, 1);
  recorder.record(2000, 300, 0);
  recorder.record(3000, 300, 2);
  auto const seen = recorder.read();
  EXPECT_EQ(seen.count, 3u);
  EXPECT_EQ(seen.longest, 300u);
  EXPECT_EQ(seen.longest_began, 2000u) << "the first so long";
  EXPECT_EQ(seen.longest_job, 0u);
  recorder.record(4000, 301, std::nullopt);
  EXPECT_EQ(recorder.read().longest_job, std::nullopt) << "nobody knows";
  recorder.reset();
  EXPECT_EQ(recorder.read().count, 0u);
  EXPECT_EQ(recorder.read().longest, 0u);
  recorder.record(5000, 10, 1);
  EXPECT_EQ(recorder.read().longest, 10u);
}

// Long enough that nothing else takes as long, on a busy machine too.
constexpr cycles threshold = 200'000'000;

// Takes long when told to, once.
class slow_job final : public job {
 public:
  std::uint32_t poll(tick const&) override {
    if (!is_slow) return 1;
    auto const until = now_cycles() + threshold + threshold / 8;
    while (now_cycles() < until) {
    }
    is_slow = false;
    return 1;
  }
  [[nodiscard]] std::string name() const override { return "slow"; }
  bool is_slow{false};
};

class big_loops_of_a_worker : public testing::Test {
 protected:
  void SetUp() override {
    for (auto& job : jobs_) worker_.add(job);
    worker_.record_big_loops(threshold);
  }
  void take_slow_turn(std::size_t job) {
    jobs_[job].is_slow = true;
    worker_.run_once();
  }
  worker_signals signals_;
  worker worker_{signals_};
  std::array<slow_job, 3> jobs_;
};

TEST_F(big_loops_of_a_worker, are_those_of_the_job_that_took_most_of_the_time) {
  worker_.run_once();
  take_slow_turn(1);
  auto const big = worker_.big().read();
  EXPECT_EQ(big.count, 1u);
  EXPECT_EQ(big.longest_job, 1u);
  EXPECT_GE(big.longest, threshold);
  EXPECT_EQ(worker_.accounts()[0]->big_loops.read(), 0u);
  EXPECT_EQ(worker_.accounts()[1]->big_loops.read(), 1u);
  worker_.reset_big_loops();
  EXPECT_EQ(worker_.big().read().count, 0u);
  EXPECT_EQ(worker_.accounts()[1]->big_loops.read(), 0u);
}

// Beyond the first loop iterations, one in sixteen is timed job by job. In other iterations the slow job is unknown; in
// the next one it is known.
TEST_F(big_loops_of_a_worker, that_nobody_timed_job_by_job_have_the_next_one_timed) {
  while (worker_.loops() < 1024 + 3) worker_.run_once();
  auto const packets = worker_.accounts()[2]->packets.read();
  take_slow_turn(2);
  EXPECT_EQ(worker_.big().read().count, 1u);
  EXPECT_EQ(worker_.big().read().longest_job, std::nullopt);
  take_slow_turn(2);
  EXPECT_EQ(worker_.big().read().count, 2u);
  EXPECT_EQ(worker_.accounts()[2]->big_loops.read(), 1u);
  EXPECT_EQ(worker_.accounts()[2]->packets.read(), packets) << "what packets cost is not taken of such turns";
}

TEST(big_loops_of_a_worker_with_one_job, are_that_jobs) {
  worker_signals const signals;
  worker alone{signals};
  slow_job job;
  alone.add(job);
  alone.record_big_loops(threshold);
  while (alone.loops() < 1024 + 3) alone.run_once();
  job.is_slow = true;
  alone.run_once();
  EXPECT_EQ(alone.big().read().longest_job, 0u);
}

}  // namespace
}  // namespace packetwarp
