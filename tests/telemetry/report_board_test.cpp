// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/report_board.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace packetwarp::telemetry {
namespace {

using namespace std::chrono_literals;
using clock = report_board::clock;

run_report with_packets(std::uint64_t rx) { return {.packets = {.rx = rx}}; }

TEST(report_board, is_asked_for_a_report_only_by_who_finds_none_that_is_fresh) {
  report_board board{10s};
  clock::time_point const now{1h};
  EXPECT_FALSE(board.is_asked_for());
  EXPECT_EQ(board.fresh(now), nullptr);
  EXPECT_TRUE(board.is_asked_for());
  board.post(with_packets(1), now);
  EXPECT_FALSE(board.is_asked_for());
  auto const found = board.fresh(now + 10s - 1ns);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->packets.rx, 1u);
  EXPECT_FALSE(board.is_asked_for()) << "once a period is enough";
  EXPECT_EQ(board.fresh(now + 10s), nullptr);
  EXPECT_TRUE(board.is_asked_for());
}

// A reader that is slow, or slow to wake up, would ask for ever.
TEST(report_board, has_for_who_asked_what_was_made_since_however_old_it_is_by_now) {
  report_board board{1ns};
  clock::time_point const asked{1h};
  EXPECT_EQ(board.fresh(asked), nullptr);
  board.post(with_packets(1), asked + 1s);
  ASSERT_NE(board.fresh(asked), nullptr);
  EXPECT_EQ(board.fresh(asked + 2s), nullptr) << "somebody else asks later";

  report_board awaited{1ns};
  report_board::shared_report found;
  {
    std::jthread const reader{[&] { found = awaited.wait_for_fresh(1h); }};
    while (!awaited.is_asked_for()) std::this_thread::yield();
    awaited.post(with_packets(2), clock::now());
  }
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->packets.rx, 2u);
}

TEST(report_board, keeps_a_report_for_who_reads_it) {
  report_board board{10s};
  clock::time_point const now{1h};
  board.post(with_packets(1), now);
  auto const first = board.fresh(now);
  board.post(with_packets(2), now);
  EXPECT_EQ(first->packets.rx, 1u);
  EXPECT_EQ(board.fresh(now)->packets.rx, 2u);
}

TEST(report_board, has_no_report_from_before_a_change_that_readers_must_see_at_once) {
  report_board board{1h};
  board.post(with_packets(1), clock::now());
  ASSERT_NE(board.fresh(clock::now()), nullptr);
  board.expire();
  EXPECT_EQ(board.fresh(clock::now()), nullptr);
  EXPECT_TRUE(board.is_asked_for());
  board.close(with_packets(2));
  board.expire();
  EXPECT_EQ(board.fresh(clock::now())->packets.rx, 2u);
}

TEST(report_board, has_no_report_for_a_reader_that_wants_a_younger_one) {
  report_board board{1h};
  board.post(with_packets(1), clock::now() - 2min);
  EXPECT_NE(board.wait_for_fresh(0s), nullptr);
  EXPECT_NE(board.wait_for_fresh(0s, 30min), nullptr);
  EXPECT_EQ(board.wait_for_fresh(0s, 1min), nullptr);
  EXPECT_TRUE(board.is_asked_for());
}

TEST(report_board, has_the_last_report_for_good) {
  report_board board{1ns};
  board.close(with_packets(7));
  auto const found = board.fresh(clock::now() + 24h);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->packets.rx, 7u);
  EXPECT_FALSE(board.is_asked_for());
}

TEST(report_board, gives_nothing_where_nobody_makes_reports) {
  report_board board;
  EXPECT_EQ(board.wait_for_fresh(1ms), nullptr);
  EXPECT_TRUE(board.is_asked_for());
}

TEST(report_board, serves_many_readers_while_the_master_posts) {
  report_board board{1us};
  std::atomic<int> served{0};
  std::vector<std::jthread> readers;
  constexpr int each = 50;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      std::uint64_t last = 0;
      for (int n = 0; n < each; ++n) {
        // A report may be old at once; the last one never is.
        auto const found = board.wait_for_fresh(1ms);
        if (!found) continue;
        EXPECT_GE(found->packets.rx, last);
        last = found->packets.rx;
      }
      while (!board.wait_for_fresh(1h)) {
      }
      ++served;
    });
  }
  for (std::uint64_t n = 1; n <= 1000; ++n) {
    if (board.is_asked_for()) board.post(with_packets(n), clock::now());
    std::this_thread::yield();
  }
  board.close(with_packets(2000));
  readers.clear();
  EXPECT_EQ(served, 4);
}

}  // namespace
}  // namespace packetwarp::telemetry
