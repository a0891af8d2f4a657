// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Threads that share queues, and the engine's own thread.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "rdma/direct_put.h"
#include "rdma/engine/host_engine.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma {
namespace {

constexpr std::uint32_t words = 3;  // of 8 bytes, of a write

struct shared_use {
  std::uint32_t size;     // entries of the queue
  std::uint32_t threads;  // that share it
  std::uint32_t batch;    // writes of a reservation
  std::uint32_t rounds;
};
// A queue that stands still is said after this time; without the bound the test would wait for ever.
constexpr patience long_enough{120'000'000'000};

class many_groups : public testing::TestWithParam<shared_use> {};

TEST_P(many_groups, share_a_queue) {
  auto const [size, threads, batch, rounds] = GetParam();
  queue_pair const pair{{.size = size, .number = 9}};
  region_table regions;
  std::vector<std::uint64_t> source(threads * batch * words), target(source.size());
  memory_place const local{
      reinterpret_cast<std::uint64_t>(source.data()),
      regions.add(reinterpret_cast<std::byte*>(source.data()), source.size() * 8, access::local_read)};
  memory_place const remote{
      reinterpret_cast<std::uint64_t>(target.data()),
      regions.add(reinterpret_cast<std::byte*>(target.data()), target.size() * 8, access::remote_write)};
  std::vector<queue_parts> const parts{pair.parts()};
  host_engine engine{parts, regions.ref()};
  auto const post = [&, batch = batch, rounds = rounds](std::uint32_t own) {
    auto const queue = pair.ref();
    for (std::uint32_t n = 1; n <= rounds; ++n) {
      for (std::uint32_t i = 0; i < batch * words; ++i) source[own * batch * words + i] = n * 1000 + i;
      auto const slots = queue.reserve(single_thread{}, batch, queue_use::many_groups, long_enough);
      ASSERT_EQ(slots.count, batch);
      for (std::uint32_t i = 0; i < batch; ++i) {
        auto const at = std::uint64_t{own * batch + i} * words * 8;
        queue.post_write(slots, i, local + at, remote + at, words * 8);
      }
      queue.commit(single_thread{}, slots);
      ASSERT_EQ(queue.flush(single_thread{}, slots, long_enough), work_status::done);
      // The completion is seen after the bytes that it stands for.
      for (std::uint32_t i = 0; i < batch * words; ++i)
        ASSERT_EQ(target[own * batch * words + i], n * 1000 + i) << "thread " << own;
    }
  };
  {
    std::vector<std::jthread> posting;
    for (std::uint32_t own = 0; own < threads; ++own) posting.emplace_back(post, own);
  }
  engine.stop();
  EXPECT_EQ(engine.counters().writes, threads * batch * rounds);
  EXPECT_EQ(engine.counters().completions, threads * rounds);
  EXPECT_EQ(engine.counters().completion_overruns, 0U);
  EXPECT_EQ(pair.cursors().completed, threads * batch * rounds);
}

// The second has as many completions under way as the completion queue has entries.
INSTANTIATE_TEST_SUITE_P(sizes, many_groups, testing::Values(shared_use{16, 3, 5, 400}, shared_use{2, 5, 1, 400}));

TEST(host_engine_threads, a_signal_is_seen_after_earlier_writes) {
  queue_pair const pair{{.size = 64, .number = 1}};
  region_table regions;
  std::vector<std::uint64_t> source(1), target(2);
  memory_place const local{reinterpret_cast<std::uint64_t>(source.data()),
                           regions.add(reinterpret_cast<std::byte*>(source.data()), 8, access::local_read)};
  memory_place const remote{reinterpret_cast<std::uint64_t>(target.data()),
                            regions.add(reinterpret_cast<std::byte*>(target.data()), 16, access::remote_write)};
  std::vector<queue_parts> const parts{pair.parts()};
  host_engine engine{parts, regions.ref()};
  auto const queue = pair.ref();
  for (std::uint64_t n = 1; n <= 500; ++n) {
    source[0] = n * 3;
    auto const slots = queue.reserve(single_thread{}, 2);
    queue.post_write(slots, 0, local, remote, 8);
    queue.post_signal(slots, 1, remote + 8, n);
    queue.commit(single_thread{}, slots);
    // The receiver polls the signal alone.
    while (detail::load_before(target[1], acquire_from_system) != n) std::this_thread::yield();
    ASSERT_EQ(target[0], n * 3);
    ASSERT_EQ(queue.flush(single_thread{}, slots), work_status::done);
  }
}

TEST(direct_put, a_receiver_that_sees_the_signal_sees_the_bytes) {
  alignas(16) std::uint64_t source[9] = {}, target[9] = {};
  std::uint64_t there = 0, back = 0;
  constexpr std::uint64_t signals = 5'000;
  std::uint64_t wrong = 0;
  std::thread receiver{[&] {
    for (std::uint64_t n = 1; n <= signals; ++n) {
      if (!await_signal(there, n, patience{10'000'000'000})) {
        wrong += 1'000'000;
        break;
      }
      for (auto const one : target) wrong += one == n * 3 ? 0 : 1;
      put_with_signal(single_thread{}, nullptr, nullptr, 0, &back, n);
    }
  }};
  for (std::uint64_t n = 1; n <= signals; ++n) {
    for (auto& one : source) one = n * 3;
    put_with_signal(single_thread{}, target, source, sizeof source, &there, n);
    ASSERT_TRUE(await_signal(back, n, patience{10'000'000'000}));
  }
  receiver.join();
  EXPECT_EQ(wrong, 0U);
}

TEST(host_engine, that_is_abandoned_leaves_committed_work_undone) {
  constexpr std::uint32_t writes = 4096, bytes = 1 << 20;  // 4 GiB
  queue_pair const pair{{.size = writes, .number = 9}};
  region_table regions;
  std::vector<std::byte> source(bytes), target(bytes);
  memory_place const local{reinterpret_cast<std::uint64_t>(source.data()),
                           regions.add(source.data(), bytes, access::local_read)};
  memory_place const remote{reinterpret_cast<std::uint64_t>(target.data()),
                            regions.add(target.data(), bytes, access::remote_write)};
  std::vector<queue_parts> const parts{pair.parts()};
  auto const queue = pair.ref();
  auto const slots = queue.reserve(single_thread{}, writes);
  for (std::uint32_t i = 0; i < writes; ++i) queue.post_write(slots, i, local, remote, bytes);
  queue.commit(single_thread{}, slots);
  host_engine engine{parts, regions.ref()};
  engine.abandon();
  EXPECT_LT(engine.counters().writes, writes);
  EXPECT_FALSE(queue.poll());
}

}  // namespace
}  // namespace packetwarp::rdma
