// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/stl/program_job.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "fixtures/mbufs.h"
#include "traffic/stl/programs.h"
#include "traffic/wires.h"

namespace packetwarp::traffic::stl {
namespace {

constexpr double unpaced = std::numeric_limits<double>::infinity();
constexpr tick running(cycles now) { return {.now = now, .phase = run_phase::running}; }

// A program on one end of a wire, and the test on the other. A cycle is a microsecond.
class program_job_test : public testing::Test {
 protected:
  static constexpr std::uint32_t depth = 64;

  program_job& make(sending_limits const& limits, double factor = 1) {
    sent_.streams[0].variables = {{.name = "n", .how = progress::inc, .max = 255}};
    sent_.streams[0].steps = {{.what = action::write, .variable = "n", .at = 6, .size = 1}};
    timeline times{sent_, loads_of(sent_, 0), factor, 1e6};
    made_.emplace("test", sent_, std::move(times), outer_.tx(queue_id{0}), pool_, limits);
    return *made_;
  }
  std::vector<std::uint64_t> take(std::size_t most = 1000) {
    std::vector<std::uint64_t> numbers;
    rte_mbuf* packet = nullptr;
    while (numbers.size() < most && inner_.rx(queue_id{0}).receive({&packet, 1}) == 1) {
      numbers.push_back(static_cast<std::uint64_t>(test::bytes_of(*packet)[6]));
      rte_pktmbuf_free(packet);
    }
    return numbers;
  }
  static void expect_in_order(std::vector<std::uint64_t> const& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i % 256);
  }

  packet_pool pool_{test::small_pool(test::fresh_name(), 255)};
  ring_wire wire_{test::make_wire(1, depth)};
  port outer_{test::start(wire_.left(), pool_)};
  port inner_{test::start(wire_.right(), pool_)};
  program sent_{.name = "p", .streams = {udp_stream()}};
  std::optional<program_job> made_;
};

TEST_F(program_job_test, sends_what_is_due_and_no_more) {
  sent_.streams[0].how_fast.value = 1000;
  auto& job = make({.burst = 8});
  for (cycles now = 1; now <= 10'001; now += 10) job.poll(running(now));
  EXPECT_EQ(job.counters().packets.read(), 11U);
  expect_in_order(take());
}

TEST_F(program_job_test, finishes_when_its_program_has_ended) {
  auto const before = pool_.available();
  sent_.streams[0].when = bursts(20);
  auto& job = make({.burst = 8}, 1e6);
  for (cycles now = 1; !job.is_finished() && now < 1000; ++now) job.poll(running(now));
  EXPECT_TRUE(job.is_finished());
  EXPECT_TRUE(job.has_sent_all_there_is());
  EXPECT_EQ(take().size(), 20U);
  made_.reset();
  EXPECT_EQ(pool_.available(), before);
}

TEST_F(program_job_test, stops_at_its_limits_before_the_program_ends) {
  auto& job = make({.packets = 13, .burst = 8}, unpaced);
  for (cycles now = 1; !job.is_finished() && now < 100; ++now) job.poll(running(now));
  EXPECT_TRUE(job.is_finished());
  EXPECT_FALSE(job.has_sent_all_there_is());
  EXPECT_EQ(take().size(), 13U);
}

TEST_F(program_job_test, keeps_what_a_full_port_does_not_take_and_loses_nothing) {
  auto& job = make({.packets = 200, .burst = 30}, unpaced);
  std::vector<std::uint64_t> received;
  auto const receive = [&](std::size_t most) {
    for (auto const number : take(most)) received.push_back(number);
  };
  for (cycles now = 1; !job.is_finished() && now < 1000; ++now) {
    job.poll(running(now));
    if (now % 5 == 0) receive(17);
  }
  receive(1000);
  EXPECT_EQ(received.size(), 200U);
  expect_in_order(received);
}

TEST_F(program_job_test, waits_for_a_dry_pool_without_skipping_a_packet) {
  std::vector<rte_mbuf*> taken(250);
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(&pool_.get(), taken.data(), 250), 0);
  auto& job = make({.packets = 20, .burst = 20}, unpaced);
  EXPECT_EQ(job.poll(running(1)), 0U);
  EXPECT_EQ(job.counters().no_mbuf.read(), 1U);
  EXPECT_FALSE(job.is_finished());
  rte_pktmbuf_free_bulk(taken.data(), 250);
  EXPECT_EQ(job.poll(running(2)), 20U);
  expect_in_order(take());
}

TEST_F(program_job_test, a_dummy_whose_turn_it_always_is_lets_others_poll) {
  sent_.streams[0].is_dummy = true;
  auto& job = make({.burst = 8}, unpaced);
  EXPECT_EQ(job.poll(running(1)), 0U);
  EXPECT_TRUE(take().empty());
}

}  // namespace
}  // namespace packetwarp::traffic::stl
