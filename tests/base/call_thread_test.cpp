// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/thread/call_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

namespace packetwarp {
namespace {

void await(call_thread const& calls) {
  while (calls.is_busy()) std::this_thread::yield();
}

TEST(call_thread, makes_one_call_after_another_beside_who_asks) {
  call_thread calls{"test"};
  EXPECT_FALSE(calls.is_busy());
  std::thread::id who;
  int sum = 0;
  for (int n = 1; n <= 1000; ++n) {
    ASSERT_TRUE(calls.begin([&sum, &who, n] {
      sum += n;
      who = std::this_thread::get_id();
    }));
    await(calls);
  }
  EXPECT_EQ(sum, 500'500);
  EXPECT_NE(who, std::this_thread::get_id());
}

TEST(call_thread, takes_no_second_call_while_one_has_not_come_back) {
  call_thread calls{"test"};
  std::atomic<bool> may_end{false};
  int later = 0;
  ASSERT_TRUE(calls.begin([&may_end] { may_end.wait(false); }));
  EXPECT_TRUE(calls.is_busy());
  EXPECT_FALSE(calls.begin([&later] { later = 1; }));
  may_end = true;
  may_end.notify_one();
  await(calls);
  EXPECT_EQ(later, 0) << "a call that was refused was made";
  EXPECT_TRUE(calls.begin([&later] { later = 2; }));
  await(calls);
  EXPECT_EQ(later, 2);
}

TEST(call_thread, waits_at_its_end_for_the_call_under_way) {
  std::atomic<bool> may_end{false};
  bool came_back = false;
  std::thread other;
  {
    call_thread calls{"test"};
    ASSERT_TRUE(calls.begin([&] {
      may_end.wait(false);
      came_back = true;
    }));
    other = std::thread{[&may_end] {
      may_end = true;
      may_end.notify_one();
    }};
  }
  EXPECT_TRUE(came_back);
  other.join();
}

TEST(call_thread, can_be_left_with_a_call_that_does_not_come_back) {
  struct word {
    std::atomic<bool> may_end{false};
    std::atomic<bool> came_back{false};
  };
  auto const both = std::make_shared<word>();
  {
    call_thread calls{"test"};
    ASSERT_TRUE(calls.begin([both] {
      both->may_end.wait(false);
      both->came_back = true;
      both->came_back.notify_one();
    }));
    calls.abandon();
    EXPECT_FALSE(calls.begin([] {})) << "a thread that was left takes no more calls";
  }
  both->may_end = true;
  both->may_end.notify_one();
  both->came_back.wait(false);
}

}  // namespace
}  // namespace packetwarp
