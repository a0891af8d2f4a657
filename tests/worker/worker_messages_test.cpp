// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/worker_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "worker/workforce.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

// Moves one packet per poll, and stays in one for as long as told.
class stubborn_job final : public job {
 public:
  std::uint32_t poll(tick const&) override {
    while (stays) std::this_thread::yield();
    return 1;
  }
  [[nodiscard]] std::string name() const override { return "stubborn"; }
  std::atomic<bool> stays{false};
};

class looking_master final : public workforce::master {
 public:
  explicit looking_master(std::function<run_phase(cycles)> look) : look_{std::move(look)} {}
  run_phase supervise(cycles now) override { return look_(now); }

 private:
  std::function<run_phase(cycles)> look_;
};

class worker_messages_test : public testing::Test {
 protected:
  void SetUp() override {
    for (unsigned n = 1; n < 4; ++n) force_.on(lcore_id{n}).add(jobs_[n]);
  }
  void run(std::function<run_phase(cycles)> look) {
    looking_master master{std::move(look)};
    force_.run(master, 10s);
  }
  cycles const forever_{to_cycles(1h)};
  workforce force_;
  std::array<stubborn_job, 4> jobs_;
};

TEST_F(worker_messages_test, are_answered_by_every_worker_while_it_works) {
  std::optional<worker_survey> survey;
  int surveys = 0;
  run([&](cycles now) {
    if (force_.least_loops() < 100) return run_phase::running;
    if (!survey) survey.emplace(force_, worker_survey::about::state, forever_);
    if (!survey->is_over(now)) return run_phase::running;
    std::vector<unsigned> lcores;
    for (auto const& one : survey->entries()) {
      lcores.push_back(one.lcore.value());
      EXPECT_EQ(one.stands, reply::given);
      auto const& said = one.state->said();
      EXPECT_GE(said.loops, 100u);
      EXPECT_LE(said.loops, force_.on(one.lcore).loops());
      EXPECT_GT(said.busy, 0u);
      EXPECT_EQ(said.jobs.size(), 1u);
      EXPECT_EQ(said.jobs[0].name, "stubborn");
      EXPECT_GT(said.jobs[0].packets, 0u);
    }
    EXPECT_THAT(lcores, ElementsAre(1, 2, 3)) << "those that have jobs";
    survey.reset();
    return ++surveys == 20 ? run_phase::halted : run_phase::running;
  });
  for (unsigned n = 1; n < 4; ++n) {
    EXPECT_EQ(force_.on(lcore_id{n}).mail().done(), 20u);
    EXPECT_EQ(force_.on(lcore_id{n}).mail().timeouts(), 0u);
  }
}

TEST_F(worker_messages_test, that_are_not_answered_in_time_are_counted_for_the_worker_that_did_not) {
  std::optional<worker_survey> survey;
  jobs_[2].stays = true;
  run([&](cycles now) {
    if (force_.on(lcore_id{1}).loops() == 0 || force_.on(lcore_id{3}).loops() == 0) return run_phase::running;
    if (!survey) survey.emplace(force_, worker_survey::about::state, to_cycles(2ms));
    auto const& box = [&](unsigned n) -> mailbox const& { return force_.on(lcore_id{n}).mail(); };
    if (box(1).done() == 0 || box(3).done() == 0) return run_phase::running;
    if (!survey->is_over(now)) return run_phase::running;
    jobs_[2].stays = false;
    // Its late answer has no receiver any more, and does no harm.
    return box(2).done() == 1 ? run_phase::halted : run_phase::running;
  });
  ASSERT_EQ(survey->entries().size(), 3u);
  EXPECT_EQ(survey->entries()[1].stands, reply::timed_out);
  EXPECT_EQ(force_.on(lcore_id{2}).mail().timeouts(), 1u);
  EXPECT_EQ(force_.on(lcore_id{2}).mail().done(), 1u);
}

TEST_F(worker_messages_test, for_which_there_is_no_room_are_not_waited_for) {
  // No worker takes them out: the workers are not running.
  for (std::size_t n = 0; n < mailbox::room; ++n) {
    EXPECT_TRUE(tell(force_, lcore_id{1}, std::make_shared<reset_big_loops>()));
  }
  EXPECT_FALSE(tell(force_, lcore_id{1}, std::make_shared<reset_big_loops>()));
  question late{force_, lcore_id{1}, std::make_shared<reset_big_loops>(), forever_};
  EXPECT_EQ(late.look(now_cycles()), reply::timed_out);
  EXPECT_EQ(late.look(now_cycles()), reply::timed_out);
  EXPECT_EQ(force_.on(lcore_id{1}).mail().timeouts(), 1u) << "once";
}

TEST_F(worker_messages_test, have_a_worker_forget_its_big_loops_on_its_own_thread) {
  force_.on(lcore_id{1}).record_big_loops(1);  // every loop iteration is one
  bool told = false;
  std::uint64_t done_at = 0;
  run([&](cycles) {
    auto& box = force_.on(lcore_id{1}).mail();
    if (force_.on(lcore_id{1}).big().read().count < 1000) return run_phase::running;
    if (!told) told = tell(force_, lcore_id{1}, std::make_shared<reset_big_loops>());
    if (box.done() == 0) return run_phase::running;
    done_at = force_.on(lcore_id{1}).loops();
    return run_phase::halted;
  });
  auto const& worker = force_.on(lcore_id{1});
  EXPECT_EQ(worker.mail().done(), 1u);
  EXPECT_LT(worker.big().read().count, worker.loops()) << "those before are forgotten";
  EXPECT_GT(done_at, 0u);
}

}  // namespace
}  // namespace packetwarp
