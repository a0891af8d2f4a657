// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <barrier>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "queue_fixture.h"

namespace packetwarp::rdma {
namespace {

using test::queue_fixture;

class posting : public queue_fixture {};

TEST_F(posting, writes_arrive_once_they_are_flushed) {
  auto const slots = write(entries, 100);
  EXPECT_EQ(flush(slots), work_status::waited_too_long) << "no engine has served the queue";
  queue_pair other{{.size = entries, .number = number}};
  queue = other.ref();
  engine = served_queue{other.parts()};
  auto const again = write(entries, 100);
  EXPECT_EQ(serve(), entries);
  EXPECT_EQ(flush(again), work_status::done);
  EXPECT_EQ(std::memcmp(target.data(), source.data(), 100 * entries), 0);
  EXPECT_EQ(target[100 * entries], std::byte{0});
  EXPECT_EQ(engine.counters().writes, entries);
  EXPECT_EQ(engine.counters().completions, 1U);
}

TEST_F(posting, an_engine_sees_nothing_before_the_commit) {
  auto const slots = queue.reserve(single_thread{}, 1);
  queue.post_write(slots, 0, local, remote, 8);
  EXPECT_EQ(serve(), 0U);
  queue.commit(single_thread{}, slots);
  EXPECT_EQ(serve(), 1U);
}

TEST_F(posting, indices_of_16_bits_wrap) {
  for (std::uint64_t n = 0; n < 3 * 65536; n += 15) {
    auto const slots = write(15, 8);
    ASSERT_EQ(slots.begin, n);
    ASSERT_EQ(serve(), 15U);
    ASSERT_EQ(flush(slots), work_status::done) << n;
  }
  EXPECT_EQ(queue.completed(), queue.reserve(single_thread{}, 1).begin);
}

TEST_F(posting, counts_of_completions_of_24_bits_wrap) {
  // As after this many completions of a write each.
  constexpr std::uint64_t before = (std::uint64_t{1} << 24) - 40;
  auto& cursors = *pair.parts().cursors;
  cursors = {
      .reserved = before, .committed = before, .completed = before, .consumed = before, .status = 0, .refused = 0};
  *pair.parts().completion_record = completion_record(before);
  engine = served_queue{pair.parts(), before, before};
  for (int n = 0; n < 100; ++n) {
    auto const slots = write(1, 8);
    ASSERT_EQ(serve(), 1U);
    ASSERT_EQ(flush(slots), work_status::done) << n;
    if (n == 0) {
      EXPECT_EQ(*pair.parts().completion_record, big(0xffffff - 38));
    }
  }
  EXPECT_EQ(*pair.parts().completion_record, big(60));
  EXPECT_EQ(engine.counters().completion_overruns, 0U);
}

TEST(completion_record, is_never_taken_back) {
  std::uint32_t record = completion_record(7);
  detail::advance_record(record, 9);
  EXPECT_EQ(record, big(9));
  detail::advance_record(record, 8);  // a thread that was late
  EXPECT_EQ(record, big(9));
  record = completion_record(0xffffff);
  detail::advance_record(record, 0x1000001);  // 24 bits wrap
  EXPECT_EQ(record, big(1));
  detail::advance_record(record, 0xffffff);
  EXPECT_EQ(record, big(1));
}

TEST_F(posting, a_reservation_waits_for_room) {
  auto const first = write(entries, 8);
  auto const refused = queue.reserve(single_thread{}, 1, queue_use::one_group, patience{0});
  EXPECT_EQ(refused.count, 0U);
  EXPECT_EQ(queue.status(), work_status::waited_too_long);
  pair.parts().cursors->status = 0;
  serve();
  auto const granted = queue.reserve(single_thread{}, entries, queue_use::one_group, patience{0});
  EXPECT_EQ(granted.count, entries);
  EXPECT_EQ(granted.begin, first.end());
}

TEST_F(posting, a_reservation_larger_than_the_queue_is_refused_and_counted) {
  EXPECT_EQ(queue.reserve(single_thread{}, entries + 1).count, 0U);
  EXPECT_EQ(queue.reserve(single_thread{}, 0).count, 0U);
  EXPECT_EQ(pair.cursors().refused, 2U);
  EXPECT_EQ(queue.status(), work_status::done) << "the queue is as good as before";
  queue.commit(single_thread{}, reservation{});
  EXPECT_EQ(serve(), 0U);
}

TEST_F(posting, writes_of_no_bytes_complete) {
  auto const slots = write(3, 0);
  serve();
  EXPECT_EQ(flush(slots), work_status::done);
  EXPECT_EQ(engine.counters().bytes, 0U);
}

TEST_F(posting, inline_writes_carry_their_bytes) {
  for (std::uint32_t bytes = 1; bytes <= most_inline; ++bytes) {
    auto const slots = queue.reserve(single_thread{}, 1);
    queue.post_write_inline(slots, 0, remote + 64 * bytes, source.data() + bytes, bytes);
    queue.commit(single_thread{}, slots);
    serve();
    ASSERT_EQ(flush(slots), work_status::done);
    EXPECT_EQ(std::memcmp(target.data() + 64 * bytes, source.data() + bytes, bytes), 0);
    EXPECT_EQ(target[64 * bytes + bytes], std::byte{0});
  }
}

TEST_F(posting, a_signal_is_a_word_of_this_machine) {
  auto const slots = queue.reserve(single_thread{}, 1);
  queue.post_signal(slots, 0, remote + 8, 0x0123'4567'89ab'cdef);
  queue.commit(single_thread{}, slots);
  serve();
  std::uint64_t found = 0;
  std::memcpy(&found, target.data() + 8, sizeof found);
  EXPECT_EQ(found, 0x0123'4567'89ab'cdefU);
}

// Threads of a CPU that are a group.
struct barrier_group {
  std::barrier<>* all;
  std::uint32_t rank;
  std::uint32_t threads;
  [[nodiscard]] std::uint32_t thread_rank() const { return rank; }
  [[nodiscard]] std::uint32_t size() const { return threads; }
  void sync() const { all->arrive_and_wait(); }
};
static_assert(thread_group<barrier_group> && !broadcasting_group<barrier_group>);

TEST_F(posting, any_threads_can_be_a_group) {
  constexpr std::uint32_t threads = 4;
  std::barrier<> all{threads};
  std::vector<std::jthread> group;
  std::array<reservation, threads> got;
  for (std::uint32_t rank = 0; rank < threads; ++rank) {
    group.emplace_back([&, rank] {
      barrier_group const own{&all, rank, threads};
      got[rank] = queue.reserve(own, 8);
      queue.post_writes(own, got[rank], [&](std::uint32_t i) {
        return write_request{local + i * 16, remote + i * 16, 16};
      });
      queue.commit(own, got[rank]);
      auto const second = queue.reserve(own, 8);
      for (auto i = rank; i < 8; i += threads)
        queue.post_write(second, i, local + (8 + i) * 16, remote + (8 + i) * 16, 16);
      queue.commit(own, second);
    });
  }
  group.clear();
  for (auto const& slots : got) EXPECT_EQ(slots.begin, 0U);
  EXPECT_EQ(serve(), 16U);
  EXPECT_EQ(flush({8, 8}), work_status::done);
  EXPECT_EQ(std::memcmp(target.data(), source.data(), 16 * 16), 0);
}

TEST(queue_pair_memory, impossible_queues_are_refused) {
  for (std::uint32_t size : {0U, 3U, 65536U}) EXPECT_THROW((queue_pair{{.size = size, .number = 1}}), usage_error);
  EXPECT_THROW((queue_pair{{.size = 16, .number = 1U << 24}}), usage_error);
  EXPECT_NO_THROW((queue_pair{{.size = most_entries, .number = most_queue_number}}));
}

TEST(queue_pair_memory, the_largest_queue_is_filled) {
  queue_pair const pair{{.size = most_entries, .number = 1}};
  served_queue engine{pair.parts()};
  region_table regions;
  std::vector<std::byte> memory(64);
  memory_place const place{reinterpret_cast<std::uint64_t>(memory.data()),
                           regions.add(memory.data(), memory.size(), access::remote_write)};
  auto const queue = pair.ref();
  for (int lap = 0; lap < 5; ++lap) {
    auto const slots = queue.reserve(single_thread{}, most_entries);
    ASSERT_EQ(slots.count, most_entries);
    queue.post_writes(single_thread{}, slots, [&](std::uint32_t) { return write_request{place, place + 8, 8}; });
    queue.commit(single_thread{}, slots);
    EXPECT_EQ(engine.serve(regions.ref(), 1'000'000), most_entries);
    ASSERT_EQ(queue.flush(single_thread{}, slots, patience{0}), work_status::done) << lap;
  }
}

}  // namespace
}  // namespace packetwarp::rdma
