// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "detect/detect_bed.h"
#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "gpu/gpu.h"
#include "model/random_networks.h"

// Pipelines side by side on a GPU, as a run has them: each batch has many packets of few flows, which come to their
// milestones together. Each verdict is that of the CPU's executor for the same bursts.
namespace packetwarp::test {
namespace {

constexpr unsigned pipelines = 16;
constexpr std::uint32_t burst_size = 64;
constexpr std::uint32_t slots = 16;
constexpr unsigned flows_at_a_time = 8;
constexpr unsigned sets_of_flows = 150;
// Of an epoch each: two without a verdict, two in which all packets are due, and two that follow them.
constexpr unsigned laps_of_a_set = 6;

// Packets that the router sends nowhere and leaves as they are, so that all pipelines and laps have the same ones.
class still_packets {
 public:
  still_packets() {
    for (unsigned set = 0; set < sets_of_flows; ++set) {
      for (unsigned n = 0; n < burst_size; ++n) {
        auto const flow = n % flows_at_a_time;
        auto const frame = packet_builder{}
                               .eth()
                               .ipv4("10.0.0.1", "10.0.0.2")
                               .ttl(1)
                               .udp(1024 + set * flows_at_a_time + flow, 53)
                               .payload(18 + flow * 60)
                               .build();
        packets_.push_back(make_packet(pool_, frame));
      }
    }
  }
  still_packets(still_packets const&) = delete;
  still_packets& operator=(still_packets const&) = delete;
  ~still_packets() {
    for (auto* one : packets_) rte_pktmbuf_free(one);
  }
  [[nodiscard]] std::span<rte_mbuf* const> of(unsigned set) const {
    return std::span{packets_}.subspan(std::size_t{set} * burst_size, burst_size);
  }

 private:
  packet_pool pool_{small_pool("still", sets_of_flows* burst_size, 1024)};
  std::vector<rte_mbuf*> packets_;
};

// A ring with its executor, which takes a lap of bursts at a time.
class lap_pipeline {
 public:
  [[nodiscard]] burst_ring& ring() { return ring_; }
  void run_by(std::unique_ptr<executor> work) { work_ = std::move(work); }
  [[nodiscard]] gpu_work& gpu() const { return *work_->on_gpu(); }

  void publish_lap(std::span<rte_mbuf* const> packets, epoch_number epoch) {
    verdicts_.clear();
    for (std::uint32_t n = 0; n < slots; ++n) {
      auto& open = *ring_.open();
      std::copy(packets.begin(), packets.end(), open.packets);
      open.size = burst_size;
      ring_.publish(epoch);
    }
  }
  // Whether the lap is done.
  [[nodiscard]] bool poll() {
    (void)work_->poll();
    for (auto* done = ring_.next_done(); done != nullptr; done = ring_.next_done()) {
      auto const outcome = ring_.outcome();
      for (std::uint32_t i = 0; i < burst_size; ++i) {
        verdicts_.push_back((outcome.is_uniform() ? outcome.of_all() : done->verdicts[i]).raw());
      }
      ring_.release();
    }
    return verdicts_.size() == slots * burst_size;
  }
  [[nodiscard]] std::vector<std::uint16_t> const& verdicts() const { return verdicts_; }

 private:
  burst_ring ring_{slots, burst_size};
  std::unique_ptr<executor> work_;
  std::vector<std::uint16_t> verdicts_;  // of the lap
};

// The large model's score that half of the flows' packets are above.
[[nodiscard]] std::int64_t middle_score(still_packets const& packets, model::network_ref first, detect_large large) {
  detect_oracle probe{first, 0, detect_action::drop, large};
  std::vector<std::int32_t> scores;
  for (epoch_number epoch = first_epoch; epoch < first_epoch + laps_of_a_set; ++epoch) {
    for (auto const* packet : packets.of(0)) {
      (void)probe.score({rte_pktmbuf_mtod(packet, std::byte*), packet->data_len, packet->pkt_len}, epoch);
      scores.push_back(probe.large_score());
    }
  }
  std::sort(scores.begin(), scores.end());
  return scores[scores.size() / 2];
}

class rings_beside_on_gpu : public testing::TestWithParam<executor_kind> {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU here";
    large_.model.threshold = middle_score(packets_, first_.ref(), large_);
    make_pipelines();
  }
  void TearDown() override {
    if (is_made_) {
      for (auto& one : beside_) EXPECT_EQ(one.gpu().stop(), end_state::ended);
    }
  }

  [[nodiscard]] detect_input input() const {
    return {
        .models = {{first_.ref(), 0}}, .action = detect_action::drop, .dscp = 0, .most_records = 1000, .large = large_};
  }
  void make_pipelines() {
    constexpr feature::state_sizes sizes{.flows = 4096, .hosts = 64};
    gpu_settings settings;
    settings.gpu = open_gpu(0);
    registrations_ = register_packet_pools(0);
    cpu_.emplace(input(), sizes, detect_key, pipelines + 1, table_place{});
    gpu_.emplace(input(), sizes, detect_key, pipelines, table_place{.gpu = 0});
    settings.timeout = std::chrono::seconds{10};
    settings.blocks = 4;
    settings.domain = domain_;
    auto const routes = suite_tables<router>::in({.gpu = 0}, company::in_chain);
    auto const make = [&](executor_kind kind, burst_ring& ring, detect_ref on_cpu, detect_ref on_gpu) {
      return make_executor<judged_routes>(kind, ring, tables_of(on_cpu, on_gpu, routes), egress_index{0},
                                          std::chrono::nanoseconds{0}, settings);
    };
    for (unsigned n = 0; n < pipelines; ++n) {
      beside_[n].run_by(make(GetParam(), beside_[n].ring(), cpu_->ref(n + 1), gpu_->ref(n)));
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
  model::test::random_networks random_{1};
  model::integer_network first_{make_varied(random_, {model::row_bytes, 64, 32, 1})};
  model::integer_network second_{make_varied(random_, {model::row_bytes, 512, 512, 256, 1})};
  detect_large large_{.model = {second_.ref(), 0},
                      .low = std::numeric_limits<std::int64_t>::min(),
                      .high = std::numeric_limits<std::int64_t>::max(),
                      .milestones = {8, 32},
                      .count = 2,
                      .most = 1U << 30};
  std::vector<memory_registration> registrations_;
  std::optional<detect_table> cpu_;
  std::optional<detect_table> gpu_;
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
  constexpr auto packets_of_lap = std::uint64_t{slots} * burst_size;
  auto const on_cpu = cpu_->counted(large_detect_counter);
  EXPECT_EQ(on_cpu.judged, packets_of_lap * 2 * sets_of_flows);
  EXPECT_GT(on_cpu.anomalous, 0U);
  EXPECT_LT(on_cpu.anomalous, on_cpu.judged);
  for (auto const counter : {0U, large_detect_counter, followed_detect_counter}) {
    EXPECT_EQ(gpu_->counted(counter).judged, pipelines * cpu_->counted(counter).judged) << counter;
    EXPECT_EQ(gpu_->counted(counter).anomalous, pipelines * cpu_->counted(counter).anomalous) << counter;
  }
}

INSTANTIATE_TEST_SUITE_P(all, rings_beside_on_gpu, testing::Values(executor_kind::kernel, executor_kind::graph));

}  // namespace
}  // namespace packetwarp::test
