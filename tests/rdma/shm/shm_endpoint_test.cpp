// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/shm/shm_endpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "two_shm_ends.h"

namespace packetwarp::rdma {
namespace {

using namespace test;

TEST(shm_endpoint, writes_every_byte_of_every_queue_into_the_peers_memory) {
  for (std::uint32_t const bytes : {1U, 2U, 8U, 63U, 64U, 1000U, 4096U}) {
    constexpr std::uint32_t queues = 3, posts = 16;
    two_shm_ends ends{queues};
    auto const times =
        ends.writer().post({.bytes = bytes, .posts = posts, .iterations = 5, .cycle = area / bytes * bytes});
    for (auto const& one : times) EXPECT_EQ(one.status, work_status::done);
    for (std::uint32_t n = 0; n < queues; ++n)
      expect_pattern(ends.written().target(n), n, std::min(5 * posts * bytes, area / bytes * bytes));
    EXPECT_EQ(ends.counter("writes"), 5U * posts * queues);
    EXPECT_EQ(ends.counter("bytes"), 5ULL * posts * queues * bytes);
    EXPECT_EQ(ends.counter("completions"), 5U * queues);
  }
}

TEST(shm_endpoint, has_no_engine_unless_it_writes) {
  two_shm_ends ends{1};
  (void)ends.writer().post({.bytes = 8, .posts = 1, .iterations = 1});
  ends.written().stop();
  EXPECT_TRUE(ends.written().counters().empty());
}

TEST(shm_endpoint, has_a_remote_access_error_for_what_the_peer_has_not_registered) {
  auto const spoils = std::map<std::string, std::function<void(queue_key&)>>{
      {"another rkey", [](auto& key) { key.rkey ^= 1; }},
      {"the rkey of the source", [](auto& key) { key.rkey = 0x5a; }},
      {"beyond the end", [](auto& key) { key.address += area - 7; }},
      {"before the beginning", [](auto& key) { key.address -= 1; }},
      {"far away", [](auto& key) { key.address ^= std::uint64_t{1} << 62; }},
      {"the last address", [](auto& key) { key.address = ~std::uint64_t{0} - 3; }}};
  for (auto const& [name, spoil] : spoils) {
    two_shm_ends ends{1, spoil};
    auto const times = ends.writer().post({.bytes = 8, .posts = 4, .iterations = 3});
    EXPECT_EQ(times.front().status, work_status::remote_access_error) << name;
    expect_pattern(ends.written().target(0), 0, 0);
    EXPECT_EQ(ends.counter("remote_access_errors"), 1U) << name;
    EXPECT_EQ(ends.counter("writes"), 0U) << name;
  }
}

TEST(shm_endpoint, reaches_the_last_byte_of_the_peers_region_and_none_after_it) {
  two_shm_ends ends{1, [](auto& key) { key.address += area - 8; }};
  EXPECT_EQ(ends.writer().write_first(8), work_status::done);
  EXPECT_EQ(ends.writer().await_first(), work_status::done);
  EXPECT_EQ(std::memcmp(ends.written().target(0).last(8).data(), make_pattern(8, 1).data(), 8), 0);
  EXPECT_EQ(ends.writer().write_first(9), work_status::done);
  EXPECT_EQ(ends.writer().await_first(), work_status::remote_access_error);
  EXPECT_EQ(ends.writer().look_at_first(), work_status::remote_access_error);
}

// The peer of rdma-lat polls that byte.
TEST(shm_endpoint, changes_the_last_byte_of_a_write_after_all_others) {
  for (std::size_t const bytes : {2U, 17U, 100U, 300U, 4096U, 30'000U}) {
    two_shm_ends ends{1};
    auto const target = ends.written().target(0).first(bytes);
    std::atomic<std::uint32_t> seen{0};
    std::jthread const reader{[&] {
      auto& last = reinterpret_cast<std::uint8_t&>(target.back());
      for (std::uint32_t n = 1; n <= 100; ++n) {
        while (std::atomic_ref{last}.load(std::memory_order_acquire) != n) std::this_thread::yield();
        EXPECT_TRUE(std::ranges::all_of(target, [&](auto byte) { return byte == std::byte(n); })) << bytes;
        seen = n;
      }
    }};
    for (std::uint32_t n = 1; n <= 100; ++n) {
      ends.writer().write_source(0, 0, std::vector<std::byte>(bytes, std::byte(n)));
      EXPECT_EQ(ends.writer().write_first(static_cast<std::uint32_t>(bytes)), work_status::done);
      EXPECT_EQ(ends.writer().await_first(), work_status::done);
      while (seen != n) std::this_thread::yield();
    }
  }
}

TEST(shm_endpoint, ends_its_posts_when_the_peer_has_ended) {
  two_shm_ends ends{2};
  auto said = std::async(std::launch::async, [&]() -> std::string {
    try {
      (void)ends.writer().post({.bytes = 64, .posts = 16, .iterations = ~std::uint32_t{0}});
    } catch (failure const& wrong) {
      return wrong.what();
    }
    return "all is written";
  });
  ends.end_written();
  EXPECT_EQ(said.get(), "rdma: the peer has ended: its own output says why");
  EXPECT_THROW((void)ends.writer().look_at_first(), failure);
}

}  // namespace
}  // namespace packetwarp::rdma
