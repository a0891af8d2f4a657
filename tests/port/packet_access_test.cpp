// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/driver/packet_access.h"

#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include "fixtures/eal_environment.h"
#include "port/port.h"

namespace packetwarp {
namespace {

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment{
    1, {"--vdev=net_null0", "--vdev=net_null1,copy=1,size=60", "--vdev=net_null2,size=60,copy=0", "--vdev=net_ring0"}});

packet_access of(std::string const& name) {
  std::uint16_t id = 0;
  EXPECT_EQ(rte_eth_dev_get_port_by_name(name.c_str(), &id), 0) << name;
  return describe_port(port_id{id}).access;
}

TEST(packet_access, is_none_where_packets_pass_as_pointers) {
  EXPECT_EQ(of("net_null0"), packet_access::none);
  EXPECT_EQ(of("net_null2"), packet_access::none);
  EXPECT_EQ(of("net_ring0"), packet_access::none);
}

TEST(packet_access, is_the_host_s_where_the_driver_copies) { EXPECT_EQ(of("net_null1"), packet_access::host_only); }

TEST(packet_access, is_the_host_s_for_drivers_that_nobody_has_looked_at) {
  for (auto const* driver : {"net_pcap", "net_tap", "net_ice", "mlx5_pci", ""}) {
    rte_eth_dev_info info{};
    info.driver_name = driver;
    EXPECT_EQ(access_of(info), packet_access::host_only) << driver;
  }
  EXPECT_EQ(access_of(rte_eth_dev_info{}), packet_access::host_only);
}

TEST(splits_to_gpu, needs_every_ability_of_the_port) {
  port_facts able;
  able.access = packet_access::rdma;
  able.rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT;
  able.tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
  EXPECT_TRUE(splits_to_gpu(able));
  auto without = able;
  without.access = packet_access::none;
  EXPECT_FALSE(splits_to_gpu(without));
  without = able;
  without.rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER;
  EXPECT_FALSE(splits_to_gpu(without));
  without = able;
  without.rx_offloads = RTE_ETH_RX_OFFLOAD_BUFFER_SPLIT;
  EXPECT_FALSE(splits_to_gpu(without));
  without = able;
  without.tx_offloads = 0;
  EXPECT_FALSE(splits_to_gpu(without));
}

}  // namespace
}  // namespace packetwarp
