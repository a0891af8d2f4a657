// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "executor/cpu.h"
#include "executor/executor_fixture.h"
#include "executor/gpu/gpu_work.h"
#include "executor/make.h"
#include "fixtures/eal_environment.h"
#include "function/forward/forward.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment);

constexpr forward::ref tables{egress_index{2}};

// The special cases of a graph: bursts that span launches, launches without bursts, and an end at any time.
class graph_executor_test : public test::executor_fixture {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU";
    settings_.gpu = open_gpu(0);
    settings_.timeout = 10s;  // a slow machine is no failure
    registrations_ = register_packet_pools(settings_.gpu.index);
    start_graph();
  }

  void start_graph() {
    settings_.domain = std::make_shared<gpu_domain>(settings_.gpu.index);
    graph_ = make_executor<forward>(executor_kind::graph, ring_, {tables, tables}, egress_index{0}, 0ns, settings_);
    gpu_ = graph_->on_gpu();
    gpu_->start();
  }

  // Frames of every kind that `forward` distinguishes, no two alike.
  static std::vector<test::bytes> frames(std::uint32_t size, std::uint32_t seed) {
    std::vector<test::bytes> made;
    for (std::uint32_t i = 0; i < size; ++i) {
      test::bytes frame((seed + i) % 7 == 0 ? i % 14 : 14 + (seed * 13 + i) % 300);
      for (std::size_t at = 0; at < frame.size(); ++at) frame[at] = static_cast<std::byte>(seed * 31 + i * 7 + at * 3);
      made.push_back(std::move(frame));
    }
    return made;
  }

  // Polls until this many packets are finished, or the executor has given up.
  [[nodiscard]] std::uint32_t poll_for(std::uint32_t packets) {
    std::uint32_t done = 0;
    while (done < packets && !gpu_->has_failed()) done += graph_->poll();
    return done;
  }

  // Takes the oldest burst, which was made of these frames, and compares it with the CPU's result.
  void expect_as_on_cpu(std::vector<test::bytes> const& given) {
    burst_ring other{4, capacity};
    cpu_executor<forward> cpu{other, tables, 0ns};
    auto* const open = other.open();
    for (auto const& frame : given) open->packets[open->size++] = test::make_packet(cpu_pool_, frame);
    other.publish();
    ASSERT_EQ(cpu.poll(), given.size());
    auto* const wanted = other.next_done();
    auto const outcome = other.outcome();

    auto const taken = take_done();
    ASSERT_EQ(taken.packets.size(), given.size());
    EXPECT_EQ(taken.is_uniform, outcome.is_uniform());
    for (std::uint32_t i = 0; i < wanted->size; ++i) {
      EXPECT_EQ(taken.verdicts[i], outcome.is_uniform() ? outcome.of_all() : wanted->verdicts[i]) << i;
      EXPECT_EQ(test::bytes_of(*taken.packets[i]), test::bytes_of(*wanted->packets[i])) << i;
      rte_pktmbuf_free(wanted->packets[i]);
    }
    free(taken);
  }

  packet_pool cpu_pool_{test::small_pool("graph_device_test")};
  gpu_settings settings_;
  std::vector<memory_registration> registrations_;
  std::unique_ptr<executor> graph_;
  gpu_work* gpu_{};  // of graph_
};

// A unit and a block hold fewer packets than the largest bursts, a launch fewer bursts than this test has.
TEST_F(graph_executor_test, does_what_the_cpu_does_to_bursts_of_any_size_round_and_round_the_ring) {
  std::uint32_t seed = 0;
  for (auto const size :
       {1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 129u, 255u, 256u, 257u, 500u, 1023u, 1024u}) {
    for (auto const next : {1025 - size, 1u, 64u}) {
      auto const first = frames(size, ++seed), second = frames(next, ++seed);
      publish(first);
      publish(second);
      ASSERT_EQ(poll_for(size + next), size + next);
      expect_as_on_cpu(first);
      expect_as_on_cpu(second);
    }
  }
  EXPECT_EQ(gpu_->stop(), end_state::ended);
  EXPECT_FALSE(gpu_->has_failed());
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

TEST_F(graph_executor_test, takes_what_comes_when_a_launch_has_ended_for_want_of_bursts) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    auto const given = frames(seed, seed);
    publish(given);
    ASSERT_EQ(poll_for(seed), seed);
    expect_as_on_cpu(given);
    if (seed % 2 == 0) std::this_thread::sleep_for(2ms);
    EXPECT_EQ(graph_->poll(), 0u);
  }
  EXPECT_EQ(gpu_->stop(), end_state::ended);
  EXPECT_FALSE(gpu_->has_failed());
}

TEST_F(graph_executor_test, ends_when_it_had_nothing_to_do) {
  EXPECT_EQ(graph_->poll(), 0u);
  EXPECT_EQ(gpu_->stop(), end_state::ended);
}

TEST_F(graph_executor_test, ends_while_bursts_wait_and_leaves_them_alone) {
  std::vector<rte_mbuf*> packets;
  for (std::uint32_t n = 0; n < 3; ++n) {
    auto const* const slot = ring_.open();
    publish(frames(300, n));
    packets.insert(packets.end(), slot->packets, slot->packets + slot->size);
  }
  (void)graph_->poll();
  EXPECT_EQ(gpu_->stop(), end_state::ended);
  graph_.reset();
  std::vector<test::bytes> left;
  for (auto const* packet : packets) left.push_back(test::bytes_of(*packet));
  std::this_thread::sleep_for(2ms);
  for (std::size_t n = 0; n < packets.size(); ++n) {
    EXPECT_EQ(test::bytes_of(*packets[n]), left[n]) << n;
    rte_pktmbuf_free(packets[n]);
  }
}

// A launch that waits for another may be on its way when the GPU is declared failed.
TEST_F(graph_executor_test, touches_nothing_once_it_has_failed) {
  EXPECT_EQ(gpu_->stop(), end_state::ended);
  settings_.timeout = 50ms;
  settings_.fault = gpu_fault::stall;
  settings_.fault_after = 1;
  start_graph();
  auto const first = frames(3, 1), lost = frames(65, 2), next = frames(64, 3);
  publish(first);
  ASSERT_EQ(poll_for(3), 3u);
  expect_as_on_cpu(first);
  publish(lost);
  while (!gpu_->has_failed()) {
    (void)graph_->poll();
    (void)settings_.domain->look(now_cycles());
  }
  auto const dropped = take_done();
  ASSERT_EQ(dropped.packets.size(), lost.size());
  for (std::size_t i = 0; i < lost.size(); ++i) EXPECT_EQ(dropped.verdicts[i], verdict::drop(drop_reason::gpu_failed));
  publish(next);
  EXPECT_EQ(graph_->poll(), next.size());
  expect_as_on_cpu(next);
  EXPECT_EQ(gpu_->stop(), end_state::ended);
  for (std::size_t i = 0; i < lost.size(); ++i) EXPECT_EQ(test::bytes_of(*dropped.packets[i]), lost[i]) << i;
  free(dropped);
}

}  // namespace
}  // namespace packetwarp
