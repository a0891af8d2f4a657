// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "burst/burst_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"

namespace packetwarp {
namespace {

constexpr auto all_forward = burst_outcome::uniform(verdict::forward(egress_index{0}));

// Publishes a burst of `size` packets, which need not exist: the ring only carries pointers.
void publish(burst_ring& ring, std::uint32_t size) {
  auto* const open = ring.open();
  ASSERT_NE(open, nullptr);
  open->size = size;
  ring.publish();
}

std::string refusal_of(std::uint32_t slots, std::uint32_t capacity) {
  try {
    burst_ring const ring{slots, capacity};
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(burst_outcome, that_is_uniform_says_what_all_packets_do) {
  for (auto const v : {verdict::forward(egress_index{0}), verdict::forward(egress_index{0x3fff}),
                       verdict::drop(drop_reason::tx_full), verdict::drop(function_drop(47)), verdict::punt()}) {
    auto const outcome = burst_outcome::uniform(v);
    EXPECT_TRUE(outcome.is_uniform());
    EXPECT_EQ(outcome.of_all(), v);
    EXPECT_EQ(burst_outcome::from_raw(outcome.raw()).of_all(), v);
  }
}

TEST(burst_outcome, that_is_mixed_is_never_uniform) {
  EXPECT_FALSE(burst_outcome::mixed().is_uniform());
  EXPECT_FALSE(burst_outcome::from_raw(0).is_uniform()) << "zeroed memory claims nothing";
}

TEST(burst_ring, refuses_a_number_of_slots_that_is_no_power_of_two) {
  for (auto const slots : {0u, 3u, 12u, 1000u}) {
    EXPECT_EQ(refusal_of(slots, 32),
              "burst ring: " + std::to_string(slots) + " slots asked for; the number must be a power of two");
  }
}

TEST(burst_ring, refuses_bursts_of_no_packets_and_of_too_many) {
  EXPECT_EQ(refusal_of(4, 0), "burst ring: bursts of 0 packets asked for; allowed are 1 to 8192");
  EXPECT_EQ(refusal_of(4, 8193), "burst ring: bursts of 8193 packets asked for; allowed are 1 to 8192");
  EXPECT_EQ(refusal_of(4, 8192), "accepted");
  EXPECT_EQ(refusal_of(1, 1), "accepted");
}

TEST(burst_ring, gives_every_slot_arrays_of_its_own) {
  burst_ring ring{8, 3};
  std::set<rte_mbuf**> packets;
  std::set<verdict*> verdicts;
  for (int i = 0; i < 8; ++i) {
    auto* const open = ring.open();
    ASSERT_NE(open, nullptr);
    for (std::uint32_t n = 0; n < ring.capacity(); ++n) {
      EXPECT_TRUE(packets.insert(open->packets + n).second);
      EXPECT_TRUE(verdicts.insert(open->verdicts + n).second);
    }
    ring.publish();
  }
}

TEST(burst_ring, carries_a_burst_s_epoch_to_each_role_and_has_the_first_one_without_a_clock) {
  burst_ring ring{1, 1};
  for (epoch_number const epoch : {epoch_number{7}, last_epoch}) {
    ASSERT_NE(ring.open(), nullptr);
    ring.publish(epoch);
    ASSERT_NE(ring.next_ready(), nullptr);
    EXPECT_EQ(ring.next_ready()->epoch, epoch);
    ring.take();
    ring.finish(all_forward);
    ASSERT_NE(ring.next_done(), nullptr);
    EXPECT_EQ(ring.next_done()->epoch, epoch);
    ring.release();
  }
  publish(ring, 1);
  ASSERT_NE(ring.next_ready(), nullptr);
  EXPECT_EQ(ring.next_ready()->epoch, first_epoch);
}

TEST(burst_ring, tells_the_rx_job_which_bursts_are_released) {
  burst_ring ring{4, 1};
  EXPECT_EQ(ring.published(), 0u);
  EXPECT_TRUE(ring.has_released(0));
  EXPECT_FALSE(ring.has_released(1));
  publish(ring, 1);
  publish(ring, 1);
  EXPECT_EQ(ring.published(), 2u);
  for (std::uint64_t n = 1; n <= 2; ++n) {
    ASSERT_NE(ring.next_ready(), nullptr);
    ring.take();
    ring.finish(all_forward);
    ASSERT_NE(ring.next_done(), nullptr);
    EXPECT_FALSE(ring.has_released(n)) << "finished is not released";
    ring.release();
    EXPECT_TRUE(ring.has_released(n));
    EXPECT_FALSE(ring.has_released(n + 1));
  }
}

TEST(burst_ring, that_is_new_has_nothing_for_anybody) {
  burst_ring ring{4, 8};
  EXPECT_EQ(ring.next_ready(), nullptr);
  EXPECT_EQ(ring.next_done(), nullptr);
  EXPECT_TRUE(ring.has_fewer_than(1));
  EXPECT_EQ(ring.slots(), 4u);
  EXPECT_EQ(ring.capacity(), 8u);
}

TEST(burst_ring, opens_the_same_empty_slot_until_it_is_published) {
  burst_ring ring{4, 8};
  auto* const first = ring.open();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->size, 0u);
  EXPECT_EQ(ring.open(), first);
  ring.publish();
  EXPECT_NE(ring.open(), first);
}

TEST(burst_ring, hands_a_burst_from_role_to_role) {
  burst_ring ring{2, 4};
  rte_mbuf packet{};
  auto* const open = ring.open();
  open->packets[0] = &packet;
  open->size = 1;
  EXPECT_EQ(ring.next_ready(), nullptr) << "not published yet";
  ring.publish();
  EXPECT_FALSE(ring.has_fewer_than(1));

  auto* const ready = ring.next_ready();
  ASSERT_EQ(ready, open);
  EXPECT_EQ(ready->packets[0], &packet);
  EXPECT_EQ(ring.next_ready(), ready) << "the same until it is finished";
  EXPECT_EQ(ring.next_done(), nullptr) << "not finished yet";
  ready->verdicts[0] = verdict::punt();
  ring.take();
  ring.finish(burst_outcome::mixed());
  EXPECT_EQ(ring.next_ready(), nullptr);

  auto* const done = ring.next_done();
  ASSERT_EQ(done, open);
  EXPECT_EQ(done->verdicts[0], verdict::punt());
  EXPECT_FALSE(ring.has_fewer_than(1)) << "the TX job has it";
  ring.release();
  EXPECT_EQ(ring.next_done(), nullptr);
  EXPECT_TRUE(ring.has_fewer_than(1));
}

TEST(burst_ring, counts_the_bursts_that_the_executor_has_not_taken) {
  burst_ring ring{4, 8};
  EXPECT_EQ(ring.ready(), 0u);
  for (std::uint32_t n = 0; n < 3; ++n) publish(ring, 8);
  EXPECT_EQ(ring.ready(), 3u);
  ASSERT_NE(ring.next_ready(), nullptr);
  ring.take();
  EXPECT_EQ(ring.ready(), 2u);
  publish(ring, 8);
  EXPECT_EQ(ring.ready(), 3u) << "although next_ready() knew of fewer";
}

TEST(burst_ring, is_full_when_every_slot_is_in_use_and_opens_again_after_a_release) {
  burst_ring ring{4, 1};
  for (int i = 0; i < 4; ++i) publish(ring, 1);
  EXPECT_EQ(ring.open(), nullptr);
  ASSERT_NE(ring.next_ready(), nullptr);
  ring.take();
  ring.finish(all_forward);
  EXPECT_EQ(ring.open(), nullptr) << "finished is not released";
  ASSERT_NE(ring.next_done(), nullptr);
  ring.release();
  EXPECT_NE(ring.open(), nullptr);
  ring.publish();
  EXPECT_EQ(ring.open(), nullptr);
}

TEST(burst_ring, of_one_slot_works_burst_by_burst) {
  burst_ring ring{1, 1};
  for (std::uint64_t i = 0; i < 5; ++i) {
    publish(ring, 1);
    EXPECT_EQ(ring.open(), nullptr);
    ASSERT_NE(ring.next_ready(), nullptr);
    ring.take();
    ring.finish(all_forward);
    auto* const done = ring.next_done();
    ASSERT_NE(done, nullptr);
    EXPECT_EQ(done->sequence, i);
    ring.release();
  }
}

TEST(burst_ring, keeps_order_and_counts_bursts_over_many_laps) {
  burst_ring ring{4, 64};
  std::uint64_t published = 0, finished = 0, released = 0;
  // Leads of every size between the roles, so that each wraps at another moment.
  for (std::uint64_t round = 0; round < 1000; ++round) {
    for (auto lead = round % 5; lead > 0 && ring.open() != nullptr; --lead) {
      publish(ring, static_cast<std::uint32_t>(++published % 64));
    }
    for (auto lead = round % 3 + 1; lead > 0 && ring.next_ready() != nullptr; --lead) {
      EXPECT_EQ(ring.next_ready()->sequence, finished);
      ring.take();
      ring.finish(burst_outcome::uniform(verdict::forward(egress_index{static_cast<std::uint16_t>(++finished % 99)})));
    }
    for (auto lead = round % 4; lead > 0 && ring.next_done() != nullptr; --lead) {
      auto const* const done = ring.next_done();
      ASSERT_EQ(done->sequence, released);
      ++released;
      ASSERT_EQ(done->size, released % 64);
      ASSERT_EQ(ring.outcome().of_all(), verdict::forward(egress_index{static_cast<std::uint16_t>(released % 99)}));
      ring.release();
    }
  }
  EXPECT_GT(released, 1000u);
  EXPECT_LE(published - released, ring.slots());
}

TEST(burst_ring, does_not_take_a_done_word_of_an_earlier_lap_for_a_new_one) {
  burst_ring ring{2, 1};
  for (int i = 0; i < 2; ++i) {
    publish(ring, 1);
    ASSERT_NE(ring.next_ready(), nullptr);
    ring.take();
    ring.finish(all_forward);
    ASSERT_NE(ring.next_done(), nullptr);
    ring.release();
  }
  publish(ring, 1);
  EXPECT_EQ(ring.next_done(), nullptr);
}

TEST(burst_ring, empties_a_slot_when_it_is_released) {
  burst_ring ring{1, 8};
  auto* open = ring.open();
  open->size = 5;
  open->has_chained = true;
  ring.publish();
  auto* const ready = ring.next_ready();
  ASSERT_NE(ready, nullptr);
  EXPECT_TRUE(ready->has_chained);
  ring.take();
  ring.finish(all_forward);
  auto* const done = ring.next_done();
  ASSERT_NE(done, nullptr);
  EXPECT_TRUE(done->has_chained);
  EXPECT_EQ(done->size, 5u);
  ring.release();
  open = ring.open();
  ASSERT_NE(open, nullptr);
  EXPECT_EQ(open->size, 0u);
  EXPECT_FALSE(open->has_chained);
}

TEST(burst_ring, tells_the_outcome_of_the_burst_last_given) {
  burst_ring ring{4, 1};
  std::vector const outcomes{all_forward, burst_outcome::mixed(), burst_outcome::uniform(verdict::punt())};
  for (auto const outcome : outcomes) {
    publish(ring, 1);
    ASSERT_NE(ring.next_ready(), nullptr);
    ring.take();
    ring.finish(outcome);
  }
  for (auto const outcome : outcomes) {
    ASSERT_NE(ring.next_done(), nullptr);
    EXPECT_EQ(ring.outcome().raw(), outcome.raw());
    ring.release();
  }
}

}  // namespace
}  // namespace packetwarp
