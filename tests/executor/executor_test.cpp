// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/error.h"
#include "executor/make.h"
#include "fixtures/eal_environment.h"
#include "function/forward/forward.h"

namespace packetwarp {
namespace {

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment);

using enum executor_kind;

std::unique_ptr<executor> make(executor_kind kind, burst_ring& ring) {
  forward::ref const tables{.egress = egress_index{0}};
  return make_executor<forward>(kind, ring, {tables, tables}, egress_index{0}, std::chrono::nanoseconds{0}, {});
}

TEST(executor_kind, has_the_word_and_the_number_people_type) {
  EXPECT_EQ(to_string(none), "none");
  EXPECT_EQ(to_string(cpu), "cpu");
  EXPECT_EQ(to_string(kernel), "kernel");
  EXPECT_EQ(to_string(persistent), "persistent");
  EXPECT_EQ(to_string(graph), "graph");
  EXPECT_EQ(static_cast<int>(none), 0);
  EXPECT_EQ(static_cast<int>(graph), 4);
}

TEST(executor_kind, needs_a_gpu_from_kernel_on) {
  for (auto const kind : {none, cpu}) EXPECT_FALSE(needs_gpu(kind)) << to_string(kind);
  for (auto const kind : {kernel, persistent, graph}) EXPECT_TRUE(needs_gpu(kind)) << to_string(kind);
}

TEST(make_executor, makes_the_kinds_that_need_no_gpu) {
  burst_ring ring{2, 8};
  EXPECT_EQ(make(none, ring)->name_of(function_drop(forward::runt)), "") << "none runs no function";
  EXPECT_EQ(make(cpu, ring)->name_of(function_drop(forward::runt)), "runt");
}

std::string refusal_of(executor_kind kind) {
  burst_ring ring{2, 8};
  try {
    (void)make(kind, ring);
  } catch (std::runtime_error const& refused) {
    return refused.what();
  }
  return "made";
}

TEST(make_executor, says_what_gpu_kinds_lack) {
  if (!find_gpus().empty()) GTEST_SKIP() << "nothing is lacking: there is a GPU";
  for (auto const kind : {kernel, persistent}) {
    if constexpr (built_with_cuda) {
      EXPECT_THAT(refusal_of(kind), testing::StartsWith("GPU: pinning 11.1 KiB of host memory failed: "));
    } else {
      EXPECT_EQ(refusal_of(kind), "executor " + std::string{to_string(kind)} +
                                      ": this build has no GPU code (PACKETWARP_CUDA is off); use none or cpu");
    }
  }
}

}  // namespace
}  // namespace packetwarp
