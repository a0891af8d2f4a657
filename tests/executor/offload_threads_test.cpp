// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "executor/offload_fixture.h"
#include "fixtures/eal_environment.h"

namespace packetwarp {
namespace {

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment);

// The processor on a thread of its own, like a GPU. Packets, descriptors and verdicts are plain memory, so only the
// announcements of given and finished bursts keep the two apart: ThreadSanitizer (preset tsan) sees any gap, and the
// checks below see bursts that are lost, stale or doubled.
class offload_threads_test : public test::offload_fixture, public testing::WithParamInterface<std::uint32_t> {
 protected:
  static constexpr std::uint64_t bursts = 20'000;

  // Works on bursts as they are given, the given number of them at a time in an order of its own, up to `last`.
  void process(std::uint64_t last) const;
  void pass_all(test::fake_executor& offload, std::uint64_t last);
  static std::vector<test::bytes> frames_of(std::uint64_t n) {
    std::vector<unsigned> first_bytes(n % 7 + 1, static_cast<unsigned>(n & 0xff));
    if (n % 3 == 0) first_bytes.back() ^= 1;
    return offload_fixture::frames_of(first_bytes);
  }
};

void offload_threads_test::process(std::uint64_t last) const {
  std::mt19937_64 random{GetParam()};
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> const given{shared().control->given};
  std::vector<std::uint64_t> taken;
  for (std::uint64_t next = 0; next < last;) {
    auto const count = given.load(cuda::memory_order_acquire);
    if (count == next) std::this_thread::yield();
    for (; next < std::min(count, last) && taken.size() < GetParam(); ++next) taken.push_back(next);
    std::shuffle(taken.begin(), taken.end(), random);
    for (auto const position : taken) test::say_done(shared(), position, test::work_on(shared(), position));
    taken.clear();
  }
}

// Publishes and collects here, gives on a thread of its own, and has the processor watched from another.
void offload_threads_test::pass_all(test::fake_executor& offload, std::uint64_t last) {
  std::jthread const giver{[&](std::stop_token const& stop) {
    while (!stop.stop_requested()) {
      offload.give();
      std::this_thread::yield();
    }
  }};
  std::jthread const watcher{[&](std::stop_token const& stop) {
    while (!stop.stop_requested()) {
      offload.watch();
      std::this_thread::yield();
    }
  }};
  std::uint64_t sent = 0;
  for (std::uint64_t taken = 0; taken < last;) {
    if (sent < last && ring_.open() != nullptr) publish(frames_of(sent++));
    if (offload.collect() == 0) std::this_thread::yield();
    for (; ring_.next_done() != nullptr; ++taken) ASSERT_NO_FATAL_FAILURE(expect_next(frames_of(taken))) << taken;
  }
}

TEST_P(offload_threads_test, gets_every_burst_once_and_gives_it_back_in_order) {
  auto offload = make();
  std::thread processor{[this] { process(bursts); }};
  pass_all(offload, bursts);
  processor.join();
  EXPECT_EQ(offload.finished(), bursts);
  EXPECT_FALSE(offload.has_failed());
}

// The processor ends in the middle. Its bursts are lost, all others were worked on by it or by the executor that took
// over, and every packet comes back once.
TEST_P(offload_threads_test, loses_what_a_processor_that_dies_had_and_no_more) {
  auto offload = make();
  std::atomic<bool> is_dead{false};
  std::jthread const processor{[&] {
    process(bursts / 2);
    is_dead = true;
  }};
  std::jthread const giver{[&](std::stop_token const& stop) {
    while (!stop.stop_requested()) {
      offload.give();
      std::this_thread::yield();
    }
  }};
  std::uint64_t sent = 0, lost_bursts = 0, by_other = 0;
  for (std::uint64_t taken = 0; taken < bursts;) {
    if (sent < bursts && ring_.open() != nullptr) publish(frames_of(sent++));
    if (is_dead && !offload.has_failed()) offload.be_in_trouble("its thread has ended");
    offload.watch();
    (void)look();
    if (offload.collect() == 0) std::this_thread::yield();
    for (; ring_.next_done() != nullptr; ++taken) {
      auto const done = take_done();
      auto const first = done.verdicts.front();
      if (first == lost || first == by_fallback) {
        (first == lost ? lost_bursts : by_other) += 1;
        ASSERT_NO_FATAL_FAILURE(expect_untouched(done, frames_of(taken), first)) << taken;
      } else {
        ASSERT_EQ(lost_bursts + by_other, 0u) << "the processor worked on a burst behind one that it lost";
        ASSERT_NO_FATAL_FAILURE(expect_worked_on(done, frames_of(taken))) << taken;
      }
      free(done);
    }
  }
  EXPECT_TRUE(offload.has_failed());
  EXPECT_GE(lost_bursts, 1u);
  EXPECT_LE(lost_bursts, ring_.slots());
  EXPECT_GE(by_other, bursts / 2 - ring_.slots());
}

INSTANTIATE_TEST_SUITE_P(at_a_time, offload_threads_test, testing::Values(1u, 2u, 4u),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace packetwarp
