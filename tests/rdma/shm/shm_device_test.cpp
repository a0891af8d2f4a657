// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// A kernel posts writes that engine `host` moves into another process's memory. Needs a GPU.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <vector>

#include "base/error.h"
#include "base/process/stop.h"
#include "gpu/gpu.h"
#include "rdma/bandwidth/gpu_poster.h"
#include "rdma/network/wait_watch.h"
#include "two_shm_ends.h"

namespace packetwarp::rdma {
namespace {

using namespace test;

class shm_device : public testing::Test {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU can be used here";
    (void)open_gpu(0);
  }
};

TEST_F(shm_device, a_kernel_writes_every_byte_of_every_queue_into_the_peers_memory) {
  for (std::uint32_t const bytes : {1U, 2U, 8U, 63U, 64U, 1000U, 4096U}) {
    constexpr std::uint32_t queues = 3, posts = 16;
    two_shm_ends ends{queues, {}, initiator::gpu};
    auto const times =
        ends.writer().post({.bytes = bytes, .posts = posts, .iterations = 5, .cycle = area / bytes * bytes});
    for (auto const& one : times) EXPECT_EQ(one.status, work_status::done) << to_string(one.status);
    for (std::uint32_t n = 0; n < queues; ++n)
      expect_pattern(ends.written().target(n), n, std::min(5 * posts * bytes, area / bytes * bytes));
    EXPECT_EQ(ends.counter("writes"), 5U * posts * queues);
  }
}

TEST_F(shm_device, a_kernel_is_told_of_a_remote_access_error) {
  two_shm_ends ends{1, [](queue_key& key) { key.rkey ^= 1; }, initiator::gpu};
  auto const times = ends.writer().post({.bytes = 64, .posts = 16, .iterations = 5});
  EXPECT_EQ(times.front().status, work_status::remote_access_error);
  EXPECT_EQ(times.front().iterations, 0u);
}

TEST_F(shm_device, two_kernels_answer_each_others_writes) {
  for (std::uint32_t const bytes : {1U, 8U, 64U, 4096U}) {
    constexpr std::uint32_t iterations = 100;
    two_shm_ends ends{1, {}, initiator::gpu};
    auto far =
        std::async(std::launch::async, [&] { return ends.written().ping(bytes, iterations, ping_side::answers); });
    auto const near = ends.writer().ping(bytes, iterations, ping_side::writes_first);
    auto const other = far.get();
    ASSERT_TRUE(near && other);
    EXPECT_EQ(near->status, work_status::done) << to_string(near->status);
    EXPECT_EQ(other->status, work_status::done) << to_string(other->status);
    EXPECT_EQ(near->between.size(), iterations - 1);
  }
}

TEST_F(shm_device, a_kernel_that_waits_ends_when_the_user_has_asked_twice_to_stop) {
  for (auto const cursors : {memory_kind::device, memory_kind::pinned}) {
    queue_pair const queue{{.size = 16, .number = 1, .queue = memory_kind::pinned, .cursors = cursors, .gpu = 0}};
    gpu_poster poster{0, 1};
    std::vector<posted_queue> const queues{{queue.parts(), {0x1000, 1}, {0x2000, 2}}};
    wait_watch const watch{nullptr, [&] { queue.end_waits(); }};
    // No engine reads the queue.
    auto waiting =
        std::async(std::launch::async, [&] { return poster.post(queues, {.bytes = 8, .posts = 4, .iterations = 1}); });
    request_stop();
    EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds{50}), std::future_status::timeout) << "work is drained";
    request_stop();
    EXPECT_EQ(waiting.get().front().status, work_status::waited_too_long);
    EXPECT_THROW(watch.require_none(), failure);
    clear_stop_request();
  }
}

}  // namespace
}  // namespace packetwarp::rdma
