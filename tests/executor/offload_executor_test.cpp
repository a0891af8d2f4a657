// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/gpu/offload/offload_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <utility>

#include "base/sleep.h"
#include "executor/cpu.h"
#include "executor/offload_fixture.h"
#include "function/forward/forward.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;
using offload_executor_test = test::offload_fixture;

packet_descriptor descriptor_of(offload_ring_ref const& shared, std::uint64_t position, std::uint32_t n) {
  return packet_descriptor::from_raw(shared.descriptors(position)[n]);
}

TEST_F(offload_executor_test, tells_the_processor_where_packets_lie_and_how_much_of_them_lies_there) {
  auto offload = make();
  publish({test::bytes(0), test::bytes(1), test::bytes(60), test::bytes(1514)});
  EXPECT_EQ(offload.poll(), 0u) << "nothing is finished yet";
  EXPECT_EQ(shared().control->given, 1u);
  auto const header = slot_header::from_raw(shared().header(0));
  EXPECT_EQ(header.size(), 4u);
  EXPECT_FALSE(header.has_chained());
  EXPECT_TRUE(header.is_of(0));
  auto const& work = ring_.oldest_taken();
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(descriptor_of(shared(), 0, i).data(), rte_pktmbuf_mtod(work.packets[i], std::byte*)) << i;
    EXPECT_EQ(descriptor_of(shared(), 0, i).contiguous(), work.packets[i]->data_len) << i;
  }
  finish(0);
  EXPECT_EQ(offload.poll(), 4u);
}

TEST_F(offload_executor_test, tells_the_whole_lengths_of_chained_packets) {
  packet_pool const narrow{test::small_pool("offload_test_narrow", 63, 128)};
  auto offload = make();
  auto* const open = ring_.open();
  for (std::size_t const length : {64u, 1000u, 128u}) {
    open->packets[open->size++] = test::make_packet(narrow, test::bytes(length));
  }
  open->has_chained = true;
  ring_.publish();
  EXPECT_EQ(offload.poll(), 0u);
  EXPECT_TRUE(slot_header::from_raw(shared().header(0)).has_chained());
  EXPECT_THAT(std::vector(shared().lengths_of(0), shared().lengths_of(0) + 3), testing::ElementsAre(64, 1000, 128));
  EXPECT_EQ(descriptor_of(shared(), 0, 1).contiguous(), 128u);
  finish(0);
  EXPECT_EQ(offload.poll(), 3u);
  free(executor_fixture::take_done());
  EXPECT_EQ(narrow.available(), 63u);
}

// The bit by which a processor distinguishes this lap's descriptors from the last's, without asking first: also the
// descriptors at a slot's front that a short burst does not need, because a longer one may need them in the next lap.
TEST_F(offload_executor_test, writes_this_lap_s_turn_into_every_descriptor) {
  auto offload = make();
  for (std::uint64_t position = 0; position < 5 * ring_.slots(); ++position) {
    auto const lap = position / ring_.slots();
    auto const size = lap % 2 == 1 ? 1 : static_cast<std::uint32_t>(position * 17 % 100 + 1);
    publish(alike(size));
    EXPECT_EQ(offload.poll(), 0u);
    EXPECT_TRUE(slot_header::from_raw(shared().header(position)).is_of(position));
    for (std::uint32_t i = 0; i < std::max(size, front_descriptors); ++i) {
      ASSERT_EQ(descriptor_of(shared(), position, i).turn(), turn_of(position, shared().mask)) << position << ' ' << i;
    }
    finish(position);
    EXPECT_EQ(offload.poll(), size);
    expect_next(alike(size));
  }
}

// The epoch's word has the bit of this lap, too: a processor may read it before it knows that the burst was given.
TEST_F(offload_executor_test, tells_the_processor_the_epoch_of_each_burst) {
  auto offload = make();
  for (std::uint64_t position = 0; position < 3 * ring_.slots(); ++position) {
    auto const epoch = position % 2 == 0 ? last_epoch - position : first_epoch + position;
    publish(alike(1), epoch);
    EXPECT_EQ(offload.poll(), 0u);
    auto const told = slot_epoch::from_raw(shared().epoch(position));
    EXPECT_EQ(told.epoch(), epoch) << position;
    EXPECT_EQ(told.turn(), turn_of(position, shared().mask)) << position;
    finish(position);
    EXPECT_EQ(offload.poll(), 1u);
    expect_next(alike(1));
  }
}

// Each half may be called alone, as often as the caller likes.
TEST_F(offload_executor_test, gives_and_collects_apart) {
  auto offload = make();
  publish(alike(2));
  EXPECT_EQ(offload.collect(), 0u);
  EXPECT_EQ(offload.described(), 0u) << "collecting gives nothing";
  offload.give();
  offload.give();
  EXPECT_EQ(offload.described(), 1u);
  finish(0);
  offload.give();
  EXPECT_EQ(ring_.next_done(), nullptr) << "giving takes nothing back";
  EXPECT_EQ(offload.collect(), 2u);
  expect_next(alike(2));
}

TEST_F(offload_executor_test, takes_back_in_order_what_was_finished_out_of_order) {
  auto offload = make();
  auto const first = alike(1), second = alike(2), third = alike(3);
  publish(first);
  publish(second);
  publish(third);
  EXPECT_EQ(offload.poll(), 0u);
  finish(2);
  EXPECT_EQ(offload.poll(), 0u);
  EXPECT_EQ(ring_.next_done(), nullptr) << "the first burst is still being worked on";
  finish(0);
  EXPECT_EQ(offload.poll(), 1u);
  expect_next(first);
  EXPECT_EQ(ring_.next_done(), nullptr);
  finish(1);
  EXPECT_EQ(offload.poll(), 5u) << "the second, and the third that has waited for it";
  expect_next(second);
  expect_next(third);
}

TEST_F(offload_executor_test, gives_each_packet_of_a_mixed_burst_its_own_verdict) {
  auto offload = make();
  auto const frames = frames_of({2, 3, 4, 5, 5, 6});
  publish(frames);
  EXPECT_EQ(offload.poll(), 0u);
  finish(0);
  EXPECT_EQ(offload.poll(), 6u);
  auto const done = take_done();
  EXPECT_FALSE(done.is_uniform);
  expect_worked_on(done, frames);
  free(done);
}

// The GPU writes verdicts only if packets differ.
TEST_F(offload_executor_test, reads_no_verdicts_of_a_burst_whose_packets_all_go_the_same_way) {
  auto offload = make();
  publish(alike(3));
  EXPECT_EQ(offload.poll(), 0u);
  std::fill_n(shared().verdicts_of(0), 3, verdict::punt());
  test::say_done(shared(), 0, burst_outcome::uniform(test::turn_over::even));
  EXPECT_EQ(offload.poll(), 3u);
  auto const done = take_done();
  EXPECT_TRUE(done.is_uniform);
  EXPECT_THAT(done.verdicts, testing::Each(test::turn_over::even));
  free(done);
}

TEST_F(offload_executor_test, gives_only_what_the_processor_takes_and_the_rest_later) {
  auto offload = make();
  offload.take_at_most(1);
  for (int n = 0; n < 3; ++n) publish(alike(1));
  EXPECT_EQ(offload.poll(), 0u);
  EXPECT_EQ(offload.described(), 1u);
  EXPECT_EQ(offload.poll(), 0u);
  EXPECT_EQ(offload.poll(), 0u);
  EXPECT_EQ(offload.poll(), 0u);
  EXPECT_EQ(offload.described(), 3u);
}

TEST_F(offload_executor_test, gives_no_more_than_the_ring_has_and_goes_on_when_there_is_room) {
  auto offload = make();
  for (unsigned n = 0; n < ring_.slots(); ++n) publish(alike(1, n * 2));
  EXPECT_EQ(ring_.open(), nullptr);
  EXPECT_EQ(offload.poll(), 0u);
  EXPECT_EQ(offload.described(), ring_.slots());
  finish(0);
  EXPECT_EQ(offload.poll(), 1u);
  EXPECT_EQ(ring_.open(), nullptr) << "taken back is not yet sent";
  expect_next(alike(1, 0));
  publish(alike(1, 8));
  EXPECT_EQ(offload.poll(), 0u);
  EXPECT_EQ(offload.described(), ring_.slots() + 1u);
  for (std::uint64_t n = 1; n <= ring_.slots(); ++n) finish(n);
  EXPECT_EQ(offload.poll(), ring_.slots());
  for (unsigned n = 1; n <= ring_.slots(); ++n) expect_next(alike(1, n * 2));
}

TEST_F(offload_executor_test, is_content_without_work) {
  auto offload = make(std::chrono::nanoseconds{1});
  offload.be_in_trouble("nobody asks for it");
  for (int n = 0; n < 1000; ++n) {
    ASSERT_EQ(offload.poll(), 0u);
    offload.watch();
  }
  EXPECT_FALSE(offload.has_failed());
}

// A debugger, a cgroup's freezer or the host of a virtual machine stops the thread that collects: the processor may
// have finished meanwhile, or had no time to.
TEST_F(offload_executor_test, blames_no_processor_for_a_standstill_of_its_own) {
  auto offload = make(1ms);
  publish(alike(2));
  EXPECT_EQ(offload.poll(), 0u);
  sleep_for(20ms);
  EXPECT_EQ(offload.poll(), 0u);
  EXPECT_TRUE(domain().is_working());
  finish(0);
  EXPECT_EQ(offload.poll(), 2u);
  EXPECT_TRUE(domain().is_working());
  expect_next(alike(2));
}

// The giving thread stands still in the middle of two bursts: the processor has finished the first, and the second is
// not given yet.
class stop_in_between final : public burst_observer {
 public:
  explicit stop_in_between(std::function<void()> happens) : happens_{std::move(happens)} {}
  void given(burst const&, std::uint64_t position) override {
    if (position == 1) happens_();
  }
  void taken_back(burst const&, std::uint64_t, burst_outcome) override {}
  void lost(std::uint64_t) override {}

 private:
  std::function<void()> happens_;
};

TEST_F(offload_executor_test, blames_no_processor_for_a_standstill_of_the_thread_that_gives) {
  auto offload = make(1us);
  offload.observe_with(std::make_unique<stop_in_between>([&] {
    finish(0);
    EXPECT_EQ(offload.collect(), 1u);
    for (int look = 0; look < 10'000; ++look) ASSERT_EQ(offload.collect(), 0u);
    EXPECT_TRUE(domain().is_working());
  }));
  publish(alike(1));
  publish(alike(2));
  offload.give();
  finish(1);
  EXPECT_EQ(offload.collect(), 2u);
  EXPECT_TRUE(domain().is_working());
  expect_next(alike(1));
  expect_next(alike(2));
}

TEST_F(offload_executor_test, names_drops_as_the_executor_behind_it_does) {
  test::fake_executor const offload{
      ring_, shared(), std::make_unique<cpu_executor<forward>>(ring_, forward::ref{}, std::chrono::nanoseconds{0}),
      std::chrono::hours{1}};
  EXPECT_EQ(offload.name_of(function_drop(forward::runt)), "runt");
  EXPECT_EQ(offload.name_of(drop_reason::gpu_failed), "gpu_failed");
  EXPECT_EQ(offload.name_of(function_drop(1)), "");
}

// Thousands of bursts through the same slots, in a random order, so that remains of a slot's last burst would be taken
// for the next one's.
TEST_F(offload_executor_test, mistakes_no_burst_for_the_one_before_it_in_its_slot) {
  auto offload = make();
  std::mt19937 random{1};
  std::deque<std::vector<test::bytes>> in_flight;
  std::vector<std::uint64_t> unfinished;
  std::uint64_t given = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (ring_.open() != nullptr && random() % 2 == 0) {
      std::vector<unsigned> first_bytes(random() % 5 + 1);
      for (auto& first : first_bytes) first = random() % 256;
      in_flight.push_back(frames_of(first_bytes));
      publish(in_flight.back());
      unfinished.push_back(given++);
    }
    (void)offload.poll();
    if (!unfinished.empty() && random() % 2 == 0) {
      auto const chosen = unfinished.begin() + static_cast<std::ptrdiff_t>(random() % unfinished.size());
      finish(*chosen);
      unfinished.erase(chosen);
    }
    if (ring_.next_done() == nullptr) continue;
    ASSERT_NO_FATAL_FAILURE(expect_next(in_flight.front())) << "step " << step;
    in_flight.pop_front();
  }
  EXPECT_GT(given, 1000 * ring_.slots());
}

}  // namespace
}  // namespace packetwarp
