// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "function/chain.h"
#include "function/forward/forward.h"
#include "function/nat44/nat44.h"
#include "function/router/router.h"
#include "plan/machines.h"
#include "plan/plan.h"

namespace packetwarp {
namespace {

using test::machine_with;
using enum arrangement;

// A pool is as large as the number of packets that can be in use at once, rounded up to one less than a power of two;
// never smaller than 4095. The sums are written out, so that this test does not repeat the code.
struct pool_case {
  std::string what;
  data_plane_config config;
  unsigned lcores;
  unsigned ports;
  std::uint64_t at_once;
  std::uint32_t packets;
};

class pool_size : public testing::TestWithParam<pool_case> {};

TEST_P(pool_size, covers_all_that_can_hold_a_packet_at_once) {
  auto const& given = GetParam();
  auto const pool = make_plan(given.config, machine_with(given.lcores, given.ports)).pool;
  EXPECT_EQ(pool.packets, given.packets);
  EXPECT_GE(pool.packets, given.at_once);
  EXPECT_EQ(pool.data_room, given.config.data_room);
  EXPECT_EQ(pool.cache, given.config.pool_cache);
}

INSTANTIATE_TEST_SUITE_P(
    of, pool_size,
    testing::Values(
        // queues 1024 + 1024, burst ring (4 + 2) x 32, caches 1 x 768
        pool_case{"one_port_on_one_lcore", {}, 1, 1, 2048 + 192 + 768, 4095},
        // queues 4 x 1024, burst rings 2 x 192, caches 3 x 768
        pool_case{"two_ports_on_three_lcores", {}, 3, 2, 4096 + 384 + 2304, 8191},
        // a pool for each: queues 1024 + 1024, burst ring (16 + 2) x 1024, caches 3 x 768
        pool_case{"sixteen_pairs_of_bursts_of_1024",
                  {.burst = 1024, .pipelines = 16, .workers = pair},
                  9,
                  2,
                  2048 + 18432 + 2304,
                  32767},
        // queues 2048, burst ring 192, isolated ring 16384, caches 3 x 768
        pool_case{"isolated_receive", {.workers = isolated_rx}, 3, 1, 2048 + 192 + 16384 + 2304, 32767},
        // queues 64 + 64, burst ring 6 x 1, no caches: the smallest
        pool_case{"as_little_as_can_be",
                  {.burst = 1, .rx_descriptors = 64, .tx_descriptors = 64, .pool_cache = 0},
                  1,
                  1,
                  134,
                  4095},
        // as one_port_on_one_lcore, with a generator's packets beside
        pool_case{"a_generator_beside", {.extra_packets = 4096}, 1, 1, 3008 + 4096, 8191},
        // queues 2 x 1855, burst ring 192, cache 192 and 2 more: one packet too many for 4095
        pool_case{"just_over_a_power_of_two",
                  {.rx_descriptors = 1855, .tx_descriptors = 1855, .pool_cache = 128, .extra_packets = 2},
                  1,
                  1,
                  4096,
                  8191},
        pool_case{"just_under_a_power_of_two",
                  {.rx_descriptors = 1855, .tx_descriptors = 1855, .pool_cache = 128, .extra_packets = 1},
                  1,
                  1,
                  4095,
                  4095}),
    [](auto const& given) { return given.param.what; });

// A GPU that stands still holds the packets of a full ring to the end of the run, and the CPU fills the ring again.
TEST(pool_size, counts_what_a_lost_gpu_may_keep) {
  data_plane_config config{.pipelines = 8, .executor = executor_kind::persistent, .ring_slots = 256};
  // Queues 8 x 2048, burst rings 8 x (256 + 2) x 32, caches 9 x 768, and the rings once more.
  constexpr std::uint32_t once = 16384 + 66048 + 6912, twice = once + 65536;
  auto const machine = machine_with(9, 1);
  EXPECT_GE(make_plan(config, machine).pool.packets, twice);
  config.executor = executor_kind::cpu;
  EXPECT_LT(make_plan(config, machine).pool.packets, twice);
  EXPECT_GE(make_plan(config, machine).pool.packets, once);
}

TEST(pool_size, counts_what_a_lost_gpu_may_keep_only_where_the_cpu_goes_on) {
  data_plane_config config{
      .pipelines = 8, .executor = executor_kind::persistent, .where = placement::device, .ring_slots = 256};
  auto machine = machine_with(9, 1);
  auto const staged = make_plan(config, machine);
  ASSERT_EQ(staged.route, packet_route::staged);
  machine.ports.front().access = packet_access::rdma;
  auto const direct = make_plan(config, machine);
  ASSERT_EQ(direct.route, packet_route::direct);
  EXPECT_LT(direct.pool.packets, staged.pool.packets);
}

// Otherwise a flood of punted packets leaves the ports without packets to receive into.
TEST(pool_size, counts_what_the_control_plane_may_hold) {
  data_plane_config config;
  config.function = &facts_of<router>;
  auto const routed = make_plan(config, machine_with(3, 2));
  ASSERT_TRUE(routed.control.has_value());
  // The desk, two doors each way of 1024, and packets that wait for neighbours or are worked on.
  EXPECT_GE(routed.control->packets(), 4096u + 2 * 2 * 1024u + 1024u);
  EXPECT_GE(routed.pool.packets, 4096 + 384 + 2304 + routed.control->packets());
  config.function = &facts_of<forward>;
  auto const forwarded = make_plan(config, machine_with(3, 2));
  EXPECT_FALSE(forwarded.control.has_value());
  EXPECT_EQ(forwarded.pool.packets, 8191u);
}

TEST(pool_size, of_one_pipeline_covers_the_control_plane_too) {
  data_plane_config config{.pipelines = 2, .workers = pair};
  config.function = &facts_of<chain<nat44, router>>;
  auto const p = make_plan(config, machine_with(5, 2));
  ASSERT_EQ(p.pools, 2);
  EXPECT_GE(p.pool.packets, 2048 + 3 * 768 + 16384 + p.control->packets());
}

TEST(pool_size, that_was_asked_for_is_no_smaller_than_what_the_control_plane_may_hold) {
  data_plane_config config{.pool_packets = 4000};
  config.function = &facts_of<router>;
  auto const p = make_plan(config, machine_with(3, 2));
  EXPECT_GE(p.pool.packets, p.control->packets());
  EXPECT_THAT(p.notices,
              testing::ElementsAre(testing::HasSubstr("queues, bursts, caches and the control plane alone")));
}

TEST(pools, are_one_a_pipeline_where_one_worker_receives_and_another_sends) {
  for (auto const how : {pair, pair_cpu}) {
    EXPECT_EQ(make_plan({.pipelines = 3, .workers = how}, machine_with(5, 2)).pools, 3);
  }
  for (auto const how : {run_to_completion, isolated_rx}) {
    EXPECT_EQ(make_plan({.pipelines = 3, .workers = how}, machine_with(5, 2)).pools, 1);
  }
}

TEST(pools, meet_in_no_queue_where_drivers_are_asked_to_give_back_packets_unseen) {
  auto const sends_of = [](plan const& p) { return p.ports.front().config.sends_of; };
  EXPECT_EQ(sends_of(make_plan({.pipelines = 3, .workers = run_to_completion}, machine_with(5, 2))), sent_pools::one);
  EXPECT_EQ(sends_of(make_plan({.pipelines = 3, .workers = pair}, machine_with(5, 2))), sent_pools::one)
      << "each pipeline has a TX queue of its own";
  auto with_ring = machine_with(5, 2);
  with_ring.ports[1].driver = "net_ring";
  EXPECT_EQ(sends_of(make_plan({}, with_ring)), sent_pools::several) << "its packets may be another process's";
}

// A chain of more mbufs than the port's device takes is dropped.
TEST(data_room, that_is_too_small_for_frames_of_a_port_s_mtu_is_noted) {
  auto machine = machine_with(2, 1);
  auto& port = machine.ports.front();
  port.tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  auto const noted = [&](std::uint32_t data_room) {
    return make_plan({.data_room = data_room, .mtu = 9000}, machine).notices;
  };
  EXPECT_THAT(noted(1024), testing::IsEmpty()) << "no limit is told";
  port.max_segments = 8;
  EXPECT_THAT(noted(1024), testing::ElementsAre(testing::HasSubstr(
                               "a frame of its MTU 9000 takes 9 mbufs of 1024 bytes, and it sends at most 8; longer "
                               "ones are dropped as tx_chained: give a data room of 1128 bytes (-d)")));
  EXPECT_THAT(noted(1128), testing::IsEmpty());
}

// A frame of several descriptors is dropped.
TEST(data_room, and_buffers_that_are_too_short_for_frames_of_a_port_s_mtu_are_noted) {
  auto machine = machine_with(2, 1);
  auto& port = machine.ports.front();
  port.driver = "net_memif";
  port.default_mtu = 1500;
  auto const noted = [&](std::uint32_t data_room, std::uint32_t buffer) {
    port.buffer_bytes = buffer;
    return make_plan({.data_room = data_room}, machine).notices;
  };
  EXPECT_THAT(noted(2048, 2048), testing::IsEmpty());
  EXPECT_THAT(noted(2048, 9216), testing::IsEmpty());
  EXPECT_THAT(noted(1522, 2048), testing::IsEmpty());
  EXPECT_THAT(noted(1521, 2048), testing::ElementsAre(testing::HasSubstr("of 1521 bytes at most")));
  EXPECT_THAT(
      noted(2048, 2047),
      testing::ElementsAre(testing::HasSubstr(
          "it sends frames of 2047 bytes at most, whole in a buffer (bsize=2047) and in an mbuf (2048 bytes); "
          "longer ones are dropped as tx_chained: give bsize=2048 here and at the other end, and a data room of "
          "2048 bytes (-d)")));
}

TEST(data_room, that_is_less_than_the_frames_that_a_device_makes_is_refused) {
  auto machine = machine_with(2, 1);
  auto& port = machine.ports.front();
  port.driver = "net_null";
  port.made_frame_bytes = 2048;
  EXPECT_NO_THROW((void)make_plan({.data_room = 2048}, machine));
  port.made_frame_bytes = 2049;
  EXPECT_THROW((void)make_plan({.data_room = 2048}, machine), usage_error);
}

TEST(pool_size, beyond_what_a_pool_can_be_is_refused) {
  try {
    (void)make_plan({.pipelines = 16, .workers = isolated_rx, .isolated_ring = 1u << 30}, machine_with(3, 1));
    ADD_FAILURE() << "planned";
  } catch (usage_error const& wrong) {
    EXPECT_STREQ(wrong.what(),
                 "packet pool: 17179907328 packets needed, a pool holds at most 2147483647; use fewer pipelines (-p), "
                 "descriptors (--rxd, --txd), a smaller burst (-b) or --isolated-ring");
  }
}

}  // namespace
}  // namespace packetwarp
