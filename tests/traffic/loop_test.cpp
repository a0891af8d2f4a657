// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/loop.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traffic/usage_text.h"
#include "traffic/wires.h"

namespace packetwarp::traffic {
namespace {

exchange_config sending(std::uint64_t packets, std::string_view sizes = "64,300") {
  exchange_config config;
  config.what.flows = parse_pattern("udp.sport=1..100");
  config.what.sizes = size_mix::parse(sizes);
  config.packets = packets;
  config.pool_cache = 32;
  return config;
}

data_plane_config plane_of(executor_kind executor, arrangement workers, std::uint16_t pipelines = 0) {
  data_plane_config config;
  config.executor = executor;
  config.workers = workers;
  config.pipelines = pipelines;
  config.pool_cache = 32;
  config.isolated_ring = 256;
  return config;
}

// Runs it, and checks that the data plane has forwarded exactly the sent packets.
outcome run(exchange_config config, data_plane_config plane) {
  auto const expected_end = config.recorded ? referee::end_cause::linger : referee::end_cause::all_back;
  loop tested{test::fresh_name(), std::move(config), std::move(plane)};
  auto const result = tested.run({.linger = std::chrono::milliseconds{5}, .stats_period = {}}, {});
  auto const totals = tested.plane().totals();
  EXPECT_EQ(totals.rx_packets, result.total.sent.packets);
  EXPECT_EQ(totals.tx_packets, result.total.sent.packets);
  EXPECT_EQ(totals.dropped_packets, 0U);
  EXPECT_EQ(totals.rx_bytes, result.total.sent.bytes);
  EXPECT_EQ(result.total.received.packets, result.total.sent.packets);
  EXPECT_EQ(result.total.received.bytes, result.total.sent.bytes);
  EXPECT_TRUE(result.total.is_flawless());
  EXPECT_EQ(result.total.unknown, 0U);
  EXPECT_EQ(tested.cause(), expected_end);
  return result.total;
}

using enum arrangement;

TEST(loop, sees_each_arrangement_forward_every_packet_unchanged_and_swapped) {
  for (auto const executor : {executor_kind::none, executor_kind::cpu}) {
    for (auto const workers : {run_to_completion, pair, pair_cpu, isolated_rx}) {
      SCOPED_TRACE(fmt::format("{} {}", to_string(executor), to_string(workers)));
      auto plane = plane_of(executor, workers);
      plane.ring_slots = 64;  // less than pairs have by themselves: the test's memory is small
      EXPECT_EQ(run(sending(3000), plane).sent.packets, 6000U);
    }
  }
}

TEST(loop, feeds_every_pipeline) {
  for (std::uint16_t pipelines = 1; pipelines <= 5; ++pipelines) {
    SCOPED_TRACE(pipelines);
    std::uint64_t const sending_ports = pipelines == 1 ? 1 : 2;
    EXPECT_EQ(run(sending(3000), plane_of(executor_kind::cpu, run_to_completion, pipelines)).sent.packets,
              3000 * sending_ports);
  }
}

TEST(loop, carries_jumbo_frames_and_replayed_captures) {
  run(sending(1000, "9600"), plane_of(executor_kind::cpu, run_to_completion));
  exchange_config replayed;
  replayed.recorded = std::make_shared<capture>(capture::read(PACKETWARP_CAPTURES "/mixed.pcap"));
  replayed.packets = 2 * replayed.recorded->packets().size();
  replayed.pool_cache = 32;
  run(replayed, plane_of(executor_kind::cpu, run_to_completion));
}

TEST(loop, holds_bursts_of_any_size) {
  for (std::uint32_t const burst : {1U, 7U, 1024U}) {
    auto plane = plane_of(executor_kind::cpu, run_to_completion);
    plane.burst = burst;
    auto config = sending(3000);
    config.burst = burst;
    SCOPED_TRACE(burst);
    run(config, plane);
  }
}

TEST(loop, has_its_own_ports) {
  auto plane = plane_of(executor_kind::cpu, run_to_completion);
  plane.port_map = {{port_id{0}, port_id{1}}};
  EXPECT_THAT(test::usage_text([&] { loop{"x", sending(1), plane}; }), testing::HasSubstr("--portmap"));
}

}  // namespace
}  // namespace packetwarp::traffic
