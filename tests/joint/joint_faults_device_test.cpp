// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <tuple>
#include <vector>

#include "base/cycles.h"
#include "executor/gpu/gpu_work.h"
#include "fixtures/eal_environment.h"
#include "gpu/domain.h"
#include "gpu/gpu.h"
#include "joint/patient_oracle.h"
#include "parity/packet_bed.h"
#include "parity/tables.h"

// A GPU fails while it works on packets together: in shared memory, and by kernels of its own. The CPU goes on with the
// same bits, and each packet is there once. Each attempt is a process of its own, because CUDA's errors are for good
// and a GPU that never ends keeps its memory.
namespace packetwarp::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t burst = 64;
constexpr std::uint32_t slots = 8;
constexpr std::size_t packets = 6000;
constexpr std::uint64_t bursts_before = 20;

// The corpus through one executor, from the first packet to the last, whatever happens to its GPU.
class attempt {
 public:
  attempt(tested_function const& function, executor_kind kind, gpu_fault fault) {
    bed_.expect(function.wanted);
    bed_.refill();
    gpu_settings settings;
    settings.gpu = open_gpu(0);
    settings.domain = domain_;
    settings.timeout = 2s;  // a slow machine is no failure
    settings.data_room = longest_segment;
    settings.fault = fault;
    settings.fault_after = bursts_before;
    registrations_ = register_packet_pools(0);
    executor_ = function.make(kind, ring_, 0ns, settings);
    executor_->on_gpu()->start();
  }

  void run() {
    auto& gpu = *executor_->on_gpu();
    while (checked_ < bed_.size()) {
      while (published_ < bed_.size() && ring_.open() != nullptr) publish();
      (void)executor_->poll();
      gpu.watch();
      (void)domain_->look(now_cycles());
      check_done();
      if (testing::Test::HasFailure()) return;
    }
  }

  // Every packet was lost by name, or was right, before the failover or after it.
  void expect_failover() const {
    EXPECT_TRUE(executor_->on_gpu()->has_failed());
    EXPECT_GE(right_before_, bursts_before * burst) << "it failed before it was told to";
    EXPECT_GT(lost_, 0u) << "it failed when it had nothing to do";
    EXPECT_LE(lost_, slots * burst);
    // A GPU may do much before the fault takes effect.
    EXPECT_GE(right_after_, slots * burst) << "the CPU did not go on";
    EXPECT_EQ(right_before_ + lost_ + right_after_, bed_.size());
  }
  [[nodiscard]] end_state stop() { return executor_->on_gpu()->stop(); }

 private:
  void publish() {
    auto& open = *ring_.open();
    for (; open.size < burst && published_ < bed_.size(); ++published_) {
      open.packets[open.size++] = bed_.packet(published_);
      open.has_chained |= bed_.is_chained(published_);
    }
    ring_.publish();
  }
  void check_done() {
    for (auto* done = ring_.next_done(); done != nullptr; done = ring_.next_done()) {
      auto const outcome = ring_.outcome();
      for (std::uint32_t i = 0; i < done->size; ++i, ++checked_) {
        ASSERT_EQ(done->packets[i], bed_.packet(checked_)) << "packet " << checked_ << " is out of order";
        count(outcome.is_uniform() ? outcome.of_all() : done->verdicts[i]);
        if (testing::Test::HasFailure()) return;
      }
      ring_.release();
    }
  }
  // Packets lost with the GPU may be half changed; no packet is lost twice.
  void count(verdict said) {
    if (said == verdict::drop(drop_reason::gpu_failed)) {
      EXPECT_EQ(right_after_, 0u) << "packet " << checked_ << " is lost after the CPU had taken over";
      ++lost_;
      return;
    }
    ASSERT_EQ(bed_.difference(checked_, said), "");
    ++(lost_ == 0 ? right_before_ : right_after_);
  }

  packet_bed bed_{make_corpus(packets)};
  burst_ring ring_{slots, burst};
  std::shared_ptr<gpu_domain> domain_{std::make_shared<gpu_domain>(0)};
  std::vector<memory_registration> registrations_;
  std::unique_ptr<executor> executor_;
  std::size_t published_{};
  std::size_t checked_{};
  std::size_t right_before_{};
  std::size_t lost_{};
  std::size_t right_after_{};
};

struct tried_function {
  std::string_view name;
  tested_function test;
};
using fault_case = std::tuple<tried_function, executor_kind, gpu_fault>;

[[nodiscard]] std::string_view name_of(gpu_fault fault) {
  return fault == gpu_fault::error ? "error" : fault == gpu_fault::stall ? "stall" : "lost";
}

// The parent process shows only the standard error stream of this one.
void tell_failures() {
  auto const& result = *testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int n = 0; n < result.total_part_count(); ++n) {
    if (result.GetTestPartResult(n).failed()) std::fprintf(stderr, "%s\n", result.GetTestPartResult(n).message());
  }
  std::fflush(nullptr);
}

// Ends the process: what a lost GPU may still use is not given back.
[[noreturn]] void attempt_alone(fault_case const& which) {
  auto const& [function, kind, fault] = which;
  eal_environment eal{1, {}, 256};
  eal.SetUp();
  auto* const tried = new attempt{function.test, kind, fault};
  tried->run();
  if (!testing::Test::HasFailure()) tried->expect_failover();
  EXPECT_EQ(tried->stop(), fault == gpu_fault::lost ? end_state::runs_on : end_state::ended);
  tell_failures();
  std::_Exit(testing::Test::HasFailure() ? 1 : 0);
}

class joint_faults : public testing::TestWithParam<fault_case> {};

TEST_P(joint_faults, are_survived_by_the_cpu_with_the_same_bits) {
  if (find_gpus().empty()) GTEST_SKIP() << "no GPU here";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the process begins anew
  EXPECT_EXIT(attempt_alone(GetParam()), testing::ExitedWithCode(0), "");
}

std::string name_of_case(testing::TestParamInfo<fault_case> const& given) {
  auto const& [function, kind, fault] = given.param;
  return fmt::format("{}_{}_{}", function.name, to_string(kind), name_of(fault));
}

constexpr std::array faults{gpu_fault::error, gpu_fault::stall, gpu_fault::lost};
constexpr tried_function in_shared_memory{"in_shared_memory", test_of<patient_score>()};
constexpr tried_function by_own_kernels{"by_own_kernels", test_of<patient_score_apart>()};

INSTANTIATE_TEST_SUITE_P(of, joint_faults,
                         testing::Combine(testing::Values(in_shared_memory),
                                          testing::Values(executor_kind::kernel, executor_kind::persistent,
                                                          executor_kind::graph),
                                          testing::ValuesIn(faults)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(apart, joint_faults,
                         testing::Combine(testing::Values(by_own_kernels),
                                          testing::Values(executor_kind::kernel, executor_kind::graph),
                                          testing::ValuesIn(faults)),
                         name_of_case);

}  // namespace
}  // namespace packetwarp::test
