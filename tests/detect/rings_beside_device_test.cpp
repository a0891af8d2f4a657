// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "detect/laps.h"
#include "gpu/gpu.h"

// Pipelines side by side on a GPU, as a run has them, and with a state each: each verdict is that of the CPU's executor
// for the same bursts.
namespace packetwarp::test {
namespace {

constexpr unsigned pipelines = 16;

class rings_beside_on_gpu : public testing::TestWithParam<executor_kind> {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU here";
    make_pipelines();
  }
  void TearDown() override {
    if (is_made_) {
      for (auto& one : beside_) EXPECT_EQ(one.gpu().stop(), end_state::ended);
    }
  }

  void make_pipelines() {
    constexpr feature::state_sizes sizes{.flows = 4096, .hosts = 64};
    gpu_settings settings;
    settings.gpu = open_gpu(0);
    registrations_ = register_packet_pools(0);
    cpu_.emplace(models_.input(), sizes, detect_key, pipelines + 1, table_place{});
    for (unsigned n = 0; n < pipelines; ++n)
      gpu_.emplace_back(models_.input(), sizes, detect_key, 1, table_place{.gpu = 0});
    settings.timeout = std::chrono::seconds{10};
    settings.blocks = 4;
    settings.domain = domain_;
    auto const routes = suite_tables<router>::in({.gpu = 0}, company::in_chain);
    auto const make = [&](executor_kind kind, burst_ring& ring, detect_ref on_cpu, detect_ref on_gpu) {
      return make_executor<judged_routes>(kind, ring, tables_of(on_cpu, on_gpu, routes), egress_index{0},
                                          std::chrono::nanoseconds{0}, settings);
    };
    for (unsigned n = 0; n < pipelines; ++n) {
      beside_[n].run_by(make(GetParam(), beside_[n].ring(), cpu_->ref(n + 1), gpu_[n].ref(0)));
    }
    is_made_ = true;
    for (auto& one : beside_) one.gpu().start();
    alone_.run_by(make(executor_kind::cpu, alone_.ring(), cpu_->ref(0), cpu_->ref(0)));
  }
  // A lap of all pipelines at once.
  void pass(unsigned set, epoch_number epoch) {
    for (auto& one : beside_) one.publish_lap(packets_.of(set), epoch);
    alone_.publish_lap(packets_.of(set), epoch);
    while (!alone_.poll()) {
    }
    for (bool all_done = false; !all_done;) {
      all_done = true;
      for (auto& one : beside_) all_done = one.poll() && all_done;
      beside_[0].gpu().watch();
      ASSERT_FALSE(std::any_of(beside_.begin(), beside_.end(), [](auto& one) { return one.gpu().has_failed(); }))
          << "the GPU was lost in epoch " << epoch;
    }
    for (unsigned n = 0; n < pipelines; ++n) ASSERT_EQ(beside_[n].verdicts(), alone_.verdicts()) << n << ' ' << epoch;
  }

  still_packets packets_;
  lap_models models_{packets_};
  std::vector<memory_registration> registrations_;
  std::optional<detect_table> cpu_;
  std::deque<detect_table> gpu_;
  std::shared_ptr<gpu_domain> domain_{std::make_shared<gpu_domain>(0)};
  std::deque<lap_pipeline> beside_ = std::deque<lap_pipeline>(pipelines);
  lap_pipeline alone_;
  bool is_made_{};
};

TEST_P(rings_beside_on_gpu, have_the_cpus_verdicts_on_many_packets_of_few_flows) {
  auto epoch = first_epoch;
  for (unsigned set = 0; set < sets_of_flows; ++set) {
    for (unsigned lap = 0; lap < laps_of_a_set; ++lap) ASSERT_NO_FATAL_FAILURE(pass(set, epoch++));
  }
  expect_counts_of_laps(*cpu_);
  for (auto const counter : {0U, large_detect_counter, followed_detect_counter}) {
    for (auto const& one : gpu_) {
      EXPECT_EQ(one.counted(counter).judged, cpu_->counted(counter).judged) << counter;
      EXPECT_EQ(one.counted(counter).anomalous, cpu_->counted(counter).anomalous) << counter;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, rings_beside_on_gpu, testing::Values(executor_kind::kernel, executor_kind::graph));

}  // namespace
}  // namespace packetwarp::test
