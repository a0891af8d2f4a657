// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "function/swap_payload/swap_payload.h"
#include "plan/machines.h"
#include "plan/plan.h"

namespace packetwarp {
namespace {

using testing::Contains;
using testing::HasSubstr;
using enum placement;

// Two ports with these kinds of access, and every port able to split if it reaches GPU memory.
machine_facts ports_of(packet_access first, packet_access second) {
  auto machine = test::machine_with(9, 2);
  machine.ports[0].access = first;
  machine.ports[1].access = second;
  for (auto& port : machine.ports) {
    port.rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT;
    port.tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  }
  return machine;
}

data_plane_config placed(placement where, executor_kind executor = executor_kind::persistent) {
  data_plane_config config;
  config.where = where;
  config.executor = executor;
  return config;
}

std::string placement_refusal(data_plane_config const& config, machine_facts const& machine) {
  try {
    (void)make_plan(config, machine);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "planned";
}

TEST(plan_placement, has_the_pool_in_gpu_memory_where_no_port_s_cpu_touches_packets) {
  using enum packet_access;
  for (auto const& [a, b] : {std::pair{none, none}, std::pair{rdma, rdma}, std::pair{none, rdma}}) {
    auto const p = make_plan(placed(device), ports_of(a, b));
    EXPECT_EQ(p.route, packet_route::direct);
    EXPECT_EQ(p.pool.gpu, 0);
    EXPECT_GE(p.pool.gpu_bytes(), std::uint64_t{p.pool.packets} * (p.pool.data_room + RTE_PKTMBUF_HEADROOM));
    EXPECT_LT(p.pool.bytes(), p.pool.gpu_bytes() / 4) << "mbufs alone";
    EXPECT_THAT(describe(p), HasSubstr("of host memory and"));
    EXPECT_THAT(describe(p), HasSubstr("of GPU 0's"));
  }
}

TEST(plan_placement, goes_through_host_memory_and_says_so_where_one_port_cannot) {
  auto const p = make_plan(placed(device), ports_of(packet_access::none, packet_access::host_only));
  EXPECT_EQ(p.route, packet_route::staged);
  EXPECT_EQ(p.pool.gpu, -1);
  for (auto const& pipeline : p.pipelines) EXPECT_EQ(pipeline.route, packet_route::staged);
  EXPECT_THAT(p.notices,
              Contains("packets in GPU memory go through pinned host memory: port 1 (net_null1) cannot write "
                       "there"));
}

TEST(plan_placement, with_a_mirror_port_is_one_in_which_a_cpu_can_copy_packets) {
  using enum packet_access;
  for (auto const where : {host, device, split}) {
    auto config = placed(where);
    config.mirror_to = port_id{1};
    EXPECT_EQ(placement_refusal(config, ports_of(none, host_only)), "planned") << "packets are staged in host memory";
    auto const direct = placement_refusal(config, ports_of(rdma, rdma));
    if (where == host) {
      EXPECT_EQ(direct, "planned");
    } else {
      EXPECT_THAT(direct, HasSubstr("no CPU can copy packets in GPU memory for a mirror port; take placement host"));
    }
  }
}

TEST(plan_placement, tells_how_a_mellanox_port_can) {
  auto machine = ports_of(packet_access::host_only, packet_access::none);
  machine.ports[0].driver = "mlx5_pci";
  EXPECT_THAT(make_plan(placed(device), machine).notices, Contains(HasSubstr("txq_inline_max=0")));
}

TEST(plan_placement, of_host_memory_is_as_it_was) {
  auto const p = make_plan(placed(host), ports_of(packet_access::rdma, packet_access::none));
  EXPECT_EQ(p.route, packet_route::direct);
  EXPECT_EQ(p.pool.gpu, -1);
  EXPECT_EQ(p.pool.gpu_bytes(), 0u);
}

TEST(plan_placement, splits_in_the_nic_where_every_port_can) {
  auto const p = make_plan(placed(split), ports_of(packet_access::rdma, packet_access::rdma));
  EXPECT_EQ(p.route, packet_route::direct);
  EXPECT_EQ(p.pool.gpu, -1);
  EXPECT_EQ(p.pool.data_room, split_header_bytes);
  EXPECT_EQ(p.payload_pool.gpu, 0);
  EXPECT_EQ(p.payload_pool.packets, p.pool.packets);
  EXPECT_EQ(p.payload_pool.data_room, 2048u);
  EXPECT_EQ(p.ports.front().config.sends_of, sent_pools::several) << "a packet is of two pools";
  EXPECT_THAT(describe(p), HasSubstr("payload pool: "));
}

TEST(plan_placement, stages_payloads_elsewhere_unless_the_function_reaches_none) {
  auto config = placed(split);
  config.function = &facts_of<swap_payload>;
  auto const machine = ports_of(packet_access::none, packet_access::none);
  auto const p = make_plan(config, machine);
  EXPECT_EQ(p.route, packet_route::staged) << "rings pass packets whole";
  EXPECT_TRUE(p.payload_pool.name.empty());
  EXPECT_THAT(p.notices, Contains(HasSubstr("payloads in GPU memory go through pinned host memory: port 0")));
  config.function = &facts_of<forward>;
  EXPECT_THAT(make_plan(config, machine).notices, Contains(HasSubstr("payloads stay in pinned host memory")));
}

TEST(plan_placement, refuses_who_cannot_reach_gpu_memory) {
  auto const rings = ports_of(packet_access::none, packet_access::none);
  auto const files = ports_of(packet_access::host_only, packet_access::host_only);
  EXPECT_EQ(placement_refusal(placed(device, executor_kind::cpu), rings),
            "-m device: the CPU cannot touch packets in GPU memory; use -w kernel, persistent or graph, or -m host");
  EXPECT_EQ(placement_refusal(placed(split, executor_kind::cpu), files),
            "-s: the CPU cannot touch packets in GPU memory; use -w kernel, persistent or graph, or leave -s out");
  EXPECT_EQ(placement_refusal(placed(device, executor_kind::none), rings), "planned");
  EXPECT_EQ(
      placement_refusal(placed(device, executor_kind::none), files),
      "-m device: port 0 (net_null0), port 1 (net_null1) cannot write there, and -w none has no use for a copy in "
      "GPU memory; use -w kernel, persistent or graph, or -m host");
}

TEST(plan_placement, has_one_gpu_for_ports_that_write_there_and_many_for_copies) {
  auto config = placed(device);
  config.gpu.indexes = {0, 1};
  EXPECT_EQ(
      placement_refusal(config, ports_of(packet_access::none, packet_access::none)),
      "-m device: ports that write to GPU memory write to one GPU's, and -g lists 2; give one, or a run for each");
  EXPECT_EQ(placement_refusal(config, ports_of(packet_access::host_only, packet_access::none)), "planned");
}

}  // namespace
}  // namespace packetwarp
