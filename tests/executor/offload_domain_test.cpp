// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "executor/offload_fixture.h"
#include "executor/refuse.h"
#include "function/forward/forward.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;

// Two pipelines of one GPU: the fixture's, and one more beside it.
class offload_domain_test : public test::offload_fixture {
 protected:
  // A burst of one packet on the ring beside.
  void publish_beside() {
    auto* const open = beside_.open();
    ASSERT_NE(open, nullptr);
    open->packets[open->size++] = test::make_packet(pool_, test::to_bytes({2, 0}));
    beside_.publish();
  }
  // The verdict of the next finished burst there; nothing if none is finished.
  std::optional<verdict> take_beside() {
    auto* const done = beside_.next_done();
    if (done == nullptr) return std::nullopt;
    auto const outcome = beside_.outcome();
    auto const said = outcome.is_uniform() ? outcome.of_all() : done->verdicts[0];
    for (auto* const packet : done->all()) rte_pktmbuf_free(packet);
    beside_.release();
    return said;
  }
  void finish_beside(std::uint64_t position) {
    test::say_done(memory_.ring(), position, test::work_on(memory_.ring(), position));
  }

  burst_ring beside_{4, capacity};
  test::offload_plain_memory const memory_{offload_layout{{.slots = beside_.slots(), .burst = beside_.capacity()}}};
};

// The executor beside it finds nothing wrong: only the domain tells it.
TEST_F(offload_domain_test, is_lost_as_a_whole_when_one_pipeline_fails) {
  auto broken = make();
  test::fake_executor sound{beside_, memory_.ring(), std::make_unique<none_executor>(beside_, by_fallback.to()), 1h,
                            std::shared_ptr<gpu_domain>{&domain(), [](auto*) {}}};
  publish(alike(1));
  publish_beside();
  publish_beside();
  EXPECT_EQ(broken.poll() + sound.poll(), 0u);
  finish_beside(0);
  broken.refuse_offers();
  EXPECT_EQ(broken.poll(), 0u);
  EXPECT_FALSE(domain().is_working());
  publish_beside();
  EXPECT_EQ(sound.poll(), 2u) << "the finished burst counts, the other is lost, and the third was not given";
  EXPECT_EQ(take_beside(), test::turn_over::even);
  EXPECT_EQ(take_beside(), lost);
  EXPECT_EQ(sound.poll(), 0u);
  EXPECT_EQ(take_beside(), std::nullopt) << "the CPU works, and the other pipeline is not quiet";
  EXPECT_FALSE(look());
  EXPECT_EQ(broken.poll(), 1u);
  EXPECT_TRUE(look());
  EXPECT_EQ(sound.poll(), 1u);
  EXPECT_EQ(take_beside(), by_fallback);
  EXPECT_TRUE(sound.has_failed() && broken.has_failed());
  expect_next_untouched(alike(1), lost);
  EXPECT_EQ(sound.stop(), end_state::ended);
  EXPECT_EQ(broken.stop(), end_state::ended);
}

TEST_F(offload_domain_test, tells_modules_once_when_all_is_quiet_and_before_the_cpu_works) {
  auto offload = make();
  std::vector<std::string> told;
  domain().on_loss([&] {
    told.push_back("first");
    EXPECT_EQ(offload.poll(), 0u) << "the CPU works before modules know";
  });
  domain().on_loss([&] { told.push_back("second"); });
  publish(alike(1));
  EXPECT_EQ(offload.poll(), 0u);
  domain().lose("a copy failed");
  EXPECT_FALSE(look());
  EXPECT_TRUE(told.empty()) << "a burst is open";
  publish(alike(2));
  EXPECT_EQ(offload.poll(), 1u);
  EXPECT_TRUE(look());
  EXPECT_THAT(told, testing::ElementsAre("first", "second"));
  EXPECT_EQ(offload.poll(), 2u);
  domain().lose("once more");
  EXPECT_FALSE(look());
  domain().finish();
  EXPECT_EQ(told.size(), 2u);
  expect_next_untouched(alike(1), lost);
  expect_next_untouched(alike(2), by_fallback);
  EXPECT_EQ(offload.stop(), end_state::ended);
}

// A thread that a driver does not release holds up the others for a while, and no longer. Bursts that its GPU finished
// meanwhile were made by tables that the host no longer follows.
TEST_F(offload_domain_test, waits_for_a_stuck_pipeline_no_longer_than_its_patience) {
  auto const impatient = std::make_shared<gpu_domain>(0, nullptr, gpu_domain::patience{.executors = 1us});
  test::fake_executor stuck{ring_, shared(), std::make_unique<none_executor>(ring_, by_fallback.to()), 1h, impatient};
  publish(alike(3));
  EXPECT_EQ(stuck.poll(), 0u);
  impatient->lose("the GPU is gone");
  while (!impatient->look(now_cycles())) {
  }
  EXPECT_FALSE(stuck.has_failed());
  finish(0);
  EXPECT_EQ(stuck.poll(), 3u);
  auto const done = take_done();
  EXPECT_THAT(done.verdicts, testing::Each(lost)) << "its sessions are nobody's";
  free(done);
  EXPECT_TRUE(stuck.has_failed());
  EXPECT_EQ(stuck.stop(), end_state::ended);
}

TEST_F(offload_domain_test, says_in_one_line_what_was_lost_and_how_long_the_failover_took) {
  auto offload = make();
  test::fake_executor beside{beside_, memory_.ring(), std::make_unique<none_executor>(beside_, by_fallback.to()), 1h,
                             std::shared_ptr<gpu_domain>{&domain(), [](auto*) {}}};
  publish(alike(5));
  publish_beside();
  EXPECT_EQ(offload.poll() + beside.poll(), 0u);
  testing::internal::CaptureStderr();
  offload.refuse_offers();
  for (int n = 0; n < 3; ++n) (void)(offload.poll() + beside.poll());
  EXPECT_TRUE(look());
  publish(alike(1));
  EXPECT_EQ(offload.poll(), 1u);
  EXPECT_EQ(domain().loss().last_packet, domain().loss().first_packet);
  EXPECT_FALSE(look());
  publish_beside();
  EXPECT_EQ(beside.poll(), 1u);
  EXPECT_EQ(take_beside(), lost);
  for (int n = 0; n < 3; ++n) EXPECT_FALSE(look());
  domain().finish();
  auto const said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::ContainsRegex(
                        "error: fake processor: it takes no more; 6 packets of the 2 bursts its 2 pipelines had are "
                        "dropped as gpu_failed, and the CPU goes on from the next; failover [0-9.]+ [nmu]?s, "
                        "[0-9.]+ [nmu]?s for the last pipeline"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  auto const loss = domain().loss();
  EXPECT_EQ(loss.packets, 6u);
  EXPECT_EQ(loss.bursts, 2u);
  EXPECT_LE(loss.first_sign, loss.taken_over);
  EXPECT_LE(loss.taken_over, loss.first_packet);
  EXPECT_LE(loss.first_packet, loss.last_packet);
  expect_next_untouched(alike(5), lost);
  EXPECT_EQ(take_beside(), by_fallback);
  expect_next_untouched(alike(1), by_fallback);
  EXPECT_EQ(offload.stop(), end_state::ended);
  EXPECT_EQ(beside.stop(), end_state::ended);
}

// Packets in the memory of a lost GPU are dropped by name, for good: with idle polls between bursts and without.
TEST_F(offload_domain_test, goes_on_with_an_executor_that_refuses_burst_after_burst) {
  test::fake_executor offload{ring_, shared(), std::make_unique<refuse_executor<forward>>(ring_, forward::ref{}), 1h,
                              std::shared_ptr<gpu_domain>{&domain(), [](auto*) {}}};
  publish(alike(2));
  EXPECT_EQ(offload.poll(), 0u);
  domain().lose("the GPU is gone");
  EXPECT_EQ(offload.poll(), 2u);
  EXPECT_TRUE(look());
  expect_next_untouched(alike(2), lost);
  for (unsigned n = 1; n <= 3 * ring_.slots(); ++n) {
    EXPECT_EQ(offload.poll(), 0u);
    publish(alike(n));
    ASSERT_EQ(offload.poll(), n);
    expect_next_untouched(alike(n), lost);
  }
  EXPECT_EQ(offload.stop(), end_state::ended);
}

}  // namespace
}  // namespace packetwarp
