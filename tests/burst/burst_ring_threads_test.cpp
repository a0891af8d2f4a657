// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "burst/burst_ring.h"

namespace packetwarp {
namespace {

// Each role on a thread of its own. The threads hand over plain memory, so only the ring's ordering keeps them apart:
// ThreadSanitizer (preset tsan) sees any gap in it, and the checks below see lost or stale bursts.
class three_threads : public testing::TestWithParam<std::uint32_t> {
 protected:
  static constexpr std::uint64_t bursts = 100'000;
  static constexpr std::uint32_t capacity = 8;

  // A burst's size and the number of its first packet follow from its sequence number.
  static std::uint32_t size_of(std::uint64_t sequence) { return static_cast<std::uint32_t>(sequence % capacity) + 1; }
  static bool is_chained(std::uint64_t sequence) { return sequence % 3 == 0; }
  static verdict verdict_of(std::uint32_t number) {
    return number % 5 == 0 ? verdict::drop(drop_reason::shutdown)
                           : verdict::forward(egress_index{static_cast<std::uint16_t>(number % 1000)});
  }

  void produce();
  void execute();
  void consume();

  burst_ring ring_{GetParam(), capacity};
  // A packet's memory is used again when as many as can be in flight have come after it.
  std::vector<rte_mbuf> mbufs_{std::size_t{GetParam()} * capacity};
  std::uint64_t wrong_{0};
};

void three_threads::produce() {
  std::uint32_t number = 0;
  for (std::uint64_t n = 0; n < bursts; ++n) {
    burst* open = nullptr;
    while ((open = ring_.open()) == nullptr) std::this_thread::yield();
    open->size = size_of(n);
    open->has_chained = is_chained(n);
    open->opened = n * 7;
    for (auto& packet : open->all()) {
      packet = &mbufs_[number % mbufs_.size()];
      packet->pkt_len = number++;
    }
    ring_.publish();
  }
  while (!ring_.has_fewer_than(1)) std::this_thread::yield();
}

void three_threads::execute() {
  for (std::uint64_t n = 0; n < bursts; ++n) {
    burst* ready = nullptr;
    while ((ready = ring_.next_ready()) == nullptr) std::this_thread::yield();
    for (std::uint32_t i = 0; i < ready->size; ++i) {
      ready->verdicts[i] = verdict_of(ready->packets[i]->pkt_len);
      ready->packets[i]->hash.usr = ~ready->packets[i]->pkt_len;  // the function's change to the packet
    }
    ring_.take();
    ring_.finish(n % 2 == 0 ? burst_outcome::mixed() : burst_outcome::uniform(verdict::punt()));
  }
}

void three_threads::consume() {
  std::uint32_t number = 0;
  for (std::uint64_t n = 0; n < bursts; ++n) {
    burst* done = nullptr;
    while ((done = ring_.next_done()) == nullptr) std::this_thread::yield();
    wrong_ += done->sequence != n || done->size != size_of(n) || done->opened != n * 7;
    wrong_ += done->has_chained != is_chained(n) || ring_.outcome().is_uniform() != (n % 2 == 1);
    for (std::uint32_t i = 0; i < done->size; ++i, ++number) {
      auto const& packet = *done->packets[i];
      wrong_ += packet.pkt_len != number || packet.hash.usr != ~number || done->verdicts[i] != verdict_of(number);
    }
    ring_.release();
  }
}

TEST_P(three_threads, pass_every_burst_once_in_order_with_its_packets_and_verdicts) {
  std::thread consumer{[this] { consume(); }};
  std::thread executing{[this] { execute(); }};
  produce();
  executing.join();
  consumer.join();
  EXPECT_EQ(wrong_, 0u);
  EXPECT_EQ(ring_.next_done(), nullptr);
  EXPECT_TRUE(ring_.has_fewer_than(1));
}

INSTANTIATE_TEST_SUITE_P(with_slots, three_threads, testing::Values(1u, 2u, 64u), testing::PrintToStringParamName());

}  // namespace
}  // namespace packetwarp
