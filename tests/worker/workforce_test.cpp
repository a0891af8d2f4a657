// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/workforce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <functional>
#include <stdexcept>
#include <thread>

#include "base/error.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;

// Remembers, for other threads to read, its last poll and its phase.
class probe final : public job {
 public:
  std::uint32_t poll(tick const& t) override {
    lcore = static_cast<int>(rte_lcore_id());
    phase = t.phase;
    while (hangs) std::this_thread::yield();
    ++polls;
    return 0;
  }
  [[nodiscard]] std::string name() const override { return "probe"; }
  std::atomic<int> lcore{-1};
  std::atomic<run_phase> phase{run_phase::running};
  std::atomic<std::uint64_t> polls{0};
  std::atomic<bool> hangs{false};
};

// Runs the test's script in each loop iteration.
class scripted_master final : public workforce::master {
 public:
  explicit scripted_master(std::function<run_phase()> look) : look_{std::move(look)} {}
  run_phase supervise(cycles) override { return look_(); }

 private:
  std::function<run_phase()> look_;
};

class workforce_test : public testing::Test {
 protected:
  static bool is_running(unsigned lcore) { return rte_eal_get_lcore_state(lcore) == RUNNING; }
  workforce force_;
  std::array<probe, 4> probes_;
};

TEST_F(workforce_test, runs_each_job_on_the_lcore_it_was_dealt_to) {
  for (unsigned n = 0; n < 4; ++n) force_.on(lcore_id{n}).add(probes_[n]);
  scripted_master master{[&] {
    bool const all_ran = std::all_of(probes_.begin(), probes_.end(), [](auto const& p) { return p.polls > 10; });
    return all_ran ? run_phase::halted : run_phase::running;
  }};
  force_.run(master, 10s);
  for (int n = 0; n < 4; ++n) EXPECT_EQ(probes_[static_cast<std::size_t>(n)].lcore, n);
  for (unsigned n = 1; n < 4; ++n) EXPECT_FALSE(is_running(n));
}

TEST_F(workforce_test, leaves_lcores_without_jobs_alone) {
  (void)force_.on(lcore_id{1});
  force_.on(lcore_id{2}).add(probes_[2]);
  std::atomic<int> ran_elsewhere{0};
  auto const elsewhere = [](void* ran) { return ++*static_cast<std::atomic<int>*>(ran); };
  scripted_master master{[&] {
    EXPECT_FALSE(is_running(1));
    return probes_[2].polls > 0 ? run_phase::halted : run_phase::running;
  }};
  force_.run(master, 10s);
  EXPECT_EQ(rte_eal_remote_launch(elsewhere, &ran_elsewhere, 1), 0) << "it is free for others";
  rte_eal_wait_lcore(1);
  EXPECT_EQ(ran_elsewhere, 1);
}

TEST_F(workforce_test, is_as_far_as_its_slowest_worker_with_jobs) {
  (void)force_.on(lcore_id{1});
  for (unsigned n = 2; n < 4; ++n) force_.on(lcore_id{n}).add(probes_[n]);
  for (int turn = 0; turn < 7; ++turn) force_.on(lcore_id{2}).run_once();
  for (int turn = 0; turn < 3; ++turn) force_.on(lcore_id{3}).run_once();
  EXPECT_EQ(force_.least_loops(), 3u);
  EXPECT_THAT(force_.loops(), testing::ElementsAre(7, 3));
}

TEST_F(workforce_test, brings_every_worker_from_phase_to_phase) {
  for (unsigned n = 0; n < 3; ++n) force_.on(lcore_id{n}).add(probes_[n]);
  auto phase = run_phase::running;
  scripted_master master{[&] {
    bool const all_see_it = std::all_of(probes_.begin(), probes_.begin() + 3,
                                        [&](auto const& p) { return p.polls > 0 && p.phase == phase; });
    if (all_see_it) phase = static_cast<run_phase>(static_cast<int>(phase) + 1);
    return phase;
  }};
  force_.run(master, 10s);
  for (unsigned n = 0; n < 3; ++n) EXPECT_EQ(probes_[n].phase, run_phase::abandoning) << "the last before halted";
}

TEST_F(workforce_test, that_finds_an_lcore_busy_says_so_and_leaves_no_worker_running) {
  for (unsigned n = 1; n < 4; ++n) force_.on(lcore_id{n}).add(probes_[n]);
  // ThreadSanitizer does not see that an awaited lcore has ended its last iteration: not on the stack.
  static std::atomic<bool> stays;
  stays = true;
  auto const occupy = [](void* flag) {
    while (*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
    return 0;
  };
  ASSERT_EQ(rte_eal_remote_launch(occupy, &stays, 2), 0);
  scripted_master master{[] { return run_phase::halted; }};
  try {
    force_.run(master, 10s);
    ADD_FAILURE() << "it ran";
  } catch (failure const& failed) {
    EXPECT_STREQ(failed.what(), "lcore 2 is busy with something else; give packetwarp lcores of its own");
  }
  EXPECT_FALSE(is_running(1)) << "its jobs may be gone any moment";
  EXPECT_FALSE(is_running(3));
  EXPECT_TRUE(is_running(2)) << "that is somebody else's";
  stays = false;
  rte_eal_wait_lcore(2);
}

TEST_F(workforce_test, whose_master_fails_leaves_no_worker_running) {
  for (unsigned n = 1; n < 4; ++n) force_.on(lcore_id{n}).add(probes_[n]);
  scripted_master master{[&]() -> run_phase {
    if (probes_[1].polls > 0) throw std::runtime_error{"the terminal is gone"};
    return run_phase::running;
  }};
  EXPECT_THROW(force_.run(master, 10s), std::runtime_error);
  for (unsigned n = 1; n < 4; ++n) EXPECT_FALSE(is_running(n));
}

using workforce_death_test = workforce_test;

TEST_F(workforce_death_test, ends_the_process_when_a_worker_does_not_come_back) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a process of its own, with an EAL of its own
  force_.on(lcore_id{1}).add(probes_[1]);
  probes_[1].hangs = true;
  scripted_master master{[&] { return probes_[1].lcore == 1 ? run_phase::halted : run_phase::running; }};
  EXPECT_EXIT(force_.run(master, 20ms), testing::ExitedWithCode(exit_failure), "lcore 1 did not stop");
}

}  // namespace
}  // namespace packetwarp
