// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/domain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "fixtures/eal_environment.h"
#include "fixtures/played_gpu.h"
#include "memory/table_memory.h"

namespace packetwarp {
namespace {

// Times are counted by the EAL's clock.
[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment);

using copies = test::played_gpu::copies;

class gpu_domain_test : public testing::Test {
 protected:
  static std::vector<std::byte> numbers(std::size_t count) {
    std::vector<std::byte> all(count);
    std::generate(all.begin(), all.end(), [n = 0]() mutable { return static_cast<std::byte>(n++ * 7); });
    return all;
  }
  [[nodiscard]] std::vector<std::byte> content() {
    std::vector<std::byte> all(memory_.size());
    EXPECT_EQ(memory_.read(0, all), copied::done);
    return all;
  }
  test::played_domain gpu_;
  table_memory memory_{{0, &gpu_.domain}, 5000};
};

TEST_F(gpu_domain_test, copies_piece_by_piece_to_any_offset) {
  EXPECT_TRUE(memory_.is_on_gpu());
  EXPECT_THAT(content(), testing::Each(std::byte{0}));
  auto const some = numbers(3456);
  EXPECT_EQ(memory_.write(123, some), copied::done);
  auto wanted = std::vector<std::byte>(5000);
  std::ranges::copy(some, wanted.begin() + 123);
  EXPECT_EQ(content(), wanted);
  EXPECT_TRUE(gpu_.domain.is_working());
}

TEST_F(gpu_domain_test, throws_before_a_run_what_a_run_takes_as_a_loss) {
  gpu_.driver->let(copies::are_refused);
  EXPECT_THROW((void)memory_.write(0, numbers(10)), failure);
  EXPECT_TRUE(gpu_.domain.is_working());
  gpu_.domain.begin();
  EXPECT_EQ(memory_.write(0, numbers(10)), copied::lost);
  EXPECT_FALSE(gpu_.domain.is_working());
}

TEST_F(gpu_domain_test, is_lost_by_any_copy_that_fails_and_by_one_that_takes_too_long) {
  for (auto const how : {copies::are_refused, copies::fail, copies::hang}) {
    test::played_domain gpu{{.executors = {}, .copies = {}}};
    table_memory memory{{0, &gpu.domain}, 100};
    gpu.domain.begin();
    gpu.driver->let(how);
    auto into = numbers(10);
    EXPECT_EQ(memory.read(0, into), copied::lost);
    EXPECT_EQ(into, numbers(10)) << "what was read of nothing";
    EXPECT_EQ(gpu.domain.state(), gpu_domain::health::losing);
  }
}

TEST_F(gpu_domain_test, is_not_lost_by_a_standstill_that_is_longer_than_its_patience) {
  test::played_domain gpu{{.copies = std::chrono::milliseconds{1}}};
  table_memory memory{{0, &gpu.domain}, 100};
  EXPECT_EQ(memory.write(0, numbers(10)), copied::done);
  gpu.domain.begin();
  gpu.driver->let(copies::come_after_a_standstill);
  std::vector<std::byte> into(10);
  EXPECT_EQ(memory.read(0, into), copied::done);
  EXPECT_EQ(into, numbers(10));
  EXPECT_TRUE(gpu.domain.is_working());
}

TEST_F(gpu_domain_test, is_used_no_more_once_it_is_lost) {
  gpu_.domain.begin();
  auto const before = gpu_.driver->begun();
  gpu_.domain.lose("a test says so");
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(memory_.write(0, numbers(10)), copied::lost);
    std::vector<std::byte> into(10);
    EXPECT_EQ(memory_.read(0, into), copied::lost);
    (void)gpu_.domain.look(now_cycles());
  }
  EXPECT_EQ(gpu_.driver->begun(), before);
}

TEST_F(gpu_domain_test, fails_copies_as_an_injected_fault_has_it) {
  gpu_.domain.begin();
  EXPECT_EQ(memory_.write(0, numbers(10)), copied::done);
  gpu_.domain.break_copies("out of memory");
  EXPECT_EQ(memory_.write(0, numbers(10)), copied::lost);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(gpu_.domain.look(now_cycles())) << "nobody else uses it";
  gpu_.domain.finish();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("error: GPU 0: writing tables to its memory failed: out of memory; 0 packets"));
}

}  // namespace
}  // namespace packetwarp
