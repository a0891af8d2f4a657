// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/wait_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/process/stop.h"
#include "rdma/queue_pair.h"

namespace packetwarp::rdma::test {
namespace {

constexpr patience for_ever{~std::uint64_t{0}};

[[nodiscard]] reservation post_one(queue_pair const& queue) {
  auto const ref = queue.ref();
  auto const slots = ref.reserve(single_thread{}, 1);
  ref.post_write(slots, 0, {0x1000, 1}, {0x2000, 2}, 8);
  ref.commit(single_thread{}, slots);
  return slots;
}

TEST(wait_watch, ends_the_waits_for_queues_whose_kernel_has_ended_by_itself) {
  queue_pair const first{{.size = 4, .number = 1}}, second{{.size = 4, .number = 2}};
  auto const slots = post_one(first);
  std::atomic<bool> is_lost{false};
  wait_watch const watch{[&] { return is_lost ? std::string{"GPU 0 is lost"} : std::string{}; },
                         [&] { first.end_waits(), second.end_waits(); }};
  EXPECT_EQ(watch.reason(), "");
  auto waiting = std::async(std::launch::async, [&] { return first.ref().flush(single_thread{}, slots, for_ever); });
  is_lost = true;
  EXPECT_EQ(waiting.get(), work_status::waited_too_long);
  EXPECT_EQ(watch.reason(), "GPU 0 is lost");
  // A thread that comes later does not begin to wait.
  while (second.ref().status() == work_status::done) std::this_thread::yield();
  EXPECT_EQ(second.ref().reserve(single_thread{}, 1, queue_use::one_group, for_ever).count, 0u);
}

TEST(wait_watch, keeps_the_first_error_of_a_queue) {
  queue_pair const failed{{.size = 4, .number = 1}}, later{{.size = 4, .number = 2}};
  failed.parts().cursors->status = static_cast<std::uint32_t>(work_status::remote_access_error);
  wait_watch const watch{[] { return std::string{"lost"}; }, [&] { failed.end_waits(), later.end_waits(); }};
  while (later.ref().status() == work_status::done) std::this_thread::yield();
  EXPECT_EQ(failed.ref().status(), work_status::remote_access_error);
}

TEST(wait_watch, leaves_queues_alone_while_kernels_work) {
  queue_pair const queue{{.size = 4, .number = 1}};
  std::atomic<int> asked{0};
  {
    wait_watch const watch{[&] { return ++asked, std::string{}; }, [&] { queue.end_waits(); }};
    while (asked < 3) std::this_thread::yield();
    EXPECT_EQ(watch.reason(), "");
  }
  EXPECT_EQ(queue.ref().status(), work_status::done);
}

TEST(wait_watch, ends_waits_when_the_user_has_asked_twice_to_stop) {
  queue_pair const queue{{.size = 4, .number = 1}};
  auto const slots = post_one(queue);
  wait_watch const watch{nullptr, [&] { queue.end_waits(); }};
  auto waiting = std::async(std::launch::async, [&] { return queue.ref().flush(single_thread{}, slots, for_ever); });
  request_stop();
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds{50}), std::future_status::timeout) << "work is drained";
  EXPECT_NO_THROW(watch.require_none());
  request_stop();
  EXPECT_EQ(waiting.get(), work_status::waited_too_long);
  EXPECT_EQ(watch.reason(), "interrupted while writes were under way");
  EXPECT_THROW(watch.require_none(), failure);
  clear_stop_request();
}

}  // namespace
}  // namespace packetwarp::rdma::test
