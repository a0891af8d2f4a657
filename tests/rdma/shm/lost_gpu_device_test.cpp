// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// A GPU that is lost while its kernel posts writes into another process's memory. Needs a GPU, which this process
// loses.
#include <chrono>
#include <future>
#include <string>

#include "../roce/gpu_breaker.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "two_shm_ends.h"

namespace packetwarp::rdma {
namespace {

using namespace test;

// The engine has executed writes when the GPU is lost, and there are more than it could in the test's time.
TEST(shm_lost_gpu, ends_the_post_with_its_reason_and_the_peer_keeps_what_was_written) {
  if (find_gpus().empty()) GTEST_SKIP() << "no GPU can be used here";
  (void)open_gpu(0);
  roce::test::gpu_breaker const breaker;
  constexpr std::uint32_t bytes = 64;
  two_shm_ends ends{1, {}, initiator::gpu};
  auto posting = std::async(std::launch::async, [&] {
    return ends.writer().post({.bytes = bytes, .posts = 16, .iterations = 1'000'000'000, .cycle = bytes});
  });
  auto const target = ends.written().target(0);
  auto const last = make_pattern(area, 1)[bytes - 1];
  while (*static_cast<std::byte const volatile*>(&target[bytes - 1]) != last &&
         posting.wait_for(std::chrono::milliseconds{1}) == std::future_status::timeout) {
  }
  breaker.break_gpu();
  try {
    (void)posting.get();
    ADD_FAILURE() << "the post has ended as if nothing had happened";
  } catch (failure const& told) {
    EXPECT_NE(std::string{told.what()}.find("illegal memory access"), std::string::npos) << told.what();
  }
  ends.writer().stop();
  expect_pattern(target, 0, bytes);
}

}  // namespace
}  // namespace packetwarp::rdma
