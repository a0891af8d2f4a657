// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "fixtures/null_port.h"
#include "port/largest_mtu.h"
#include "port/port.h"

namespace packetwarp {
namespace {

// A NIC on paper.
port_facts const nic{.id = port_id{2},
                     .name = "0000:b5:00.0",
                     .device = "0000:b5:00.0",
                     .driver = "mlx5_pci",
                     .bus = "pci",
                     .socket = 1,
                     .max_rx_queues = 8,
                     .max_tx_queues = 4,
                     .default_mtu = 1500,
                     .max_mtu = 9978,
                     .kernel_interface = {},
                     .interface_index = 0,
                     .own_tap = {},
                     .leaves_by = {},
                     .mac = {}};

std::string refusal_of(port_config const& config) {
  try {
    require_possible(nic, config);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "possible";
}

TEST(require_possible, takes_all_that_the_port_has) {
  EXPECT_EQ(refusal_of({.rx_queues = 8, .tx_queues = 4, .mtu = 9978}), "possible");
  EXPECT_EQ(refusal_of({.rx_queues = 1, .tx_queues = 1, .mtu = 0}), "possible");
}

TEST(require_possible, tells_how_many_queues_the_port_has) {
  EXPECT_EQ(refusal_of({.rx_queues = 9, .tx_queues = 1}),
            "port 2 (0000:b5:00.0): 9 RX queues needed, the port has 8; use fewer pipelines (-p, or 'pipelines' of "
            "data_plane), or give the port more queues");
  EXPECT_EQ(refusal_of({.rx_queues = 8, .tx_queues = 5}),
            "port 2 (0000:b5:00.0): 5 TX queues needed, the port has 4; use fewer pipelines (-p, or 'pipelines' of "
            "data_plane), or give the port more queues");
}

TEST(require_possible, tells_the_largest_mtu) {
  EXPECT_EQ(refusal_of({.mtu = 9979}), "port 2 (0000:b5:00.0): MTU 9979 asked for; the port allows at most 9978");
}

TEST(largest_mtu, is_the_driver_s_or_what_its_longest_frame_holds) {
  rte_eth_dev_info info{};
  info.max_mtu = 9000;
  info.max_rx_pktlen = 1518;
  EXPECT_EQ(largest_mtu_of(info), 9000);
  info.max_mtu = UINT16_MAX;
  EXPECT_EQ(largest_mtu_of(info), 1500);
  info.max_rx_pktlen = UINT32_MAX;
  EXPECT_EQ(largest_mtu_of(info), UINT16_MAX);
  info.max_rx_pktlen = 0;
  EXPECT_EQ(largest_mtu_of(info), UINT16_MAX);
}

TEST(choose_offloads, asks_for_what_makes_any_packet_pass) {
  auto able = nic;
  able.rx_offloads = ~std::uint64_t{0};
  able.tx_offloads = ~std::uint64_t{0};
  auto const chosen = choose_offloads(able, sent_pools::one);
  EXPECT_EQ(chosen.rx, RTE_ETH_RX_OFFLOAD_SCATTER);
  EXPECT_EQ(chosen.tx, RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE);
}

TEST(choose_offloads, asks_for_no_fast_free_where_pools_meet_in_a_queue) {
  auto able = nic;
  able.tx_offloads = ~std::uint64_t{0};
  EXPECT_EQ(choose_offloads(able, sent_pools::several).tx, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
}

TEST(choose_offloads, asks_for_nothing_the_port_does_not_have) {
  auto plain = nic;
  EXPECT_EQ(choose_offloads(plain, sent_pools::one).rx, 0u);
  EXPECT_EQ(choose_offloads(plain, sent_pools::one).tx, 0u);
  plain.rx_offloads = RTE_ETH_RX_OFFLOAD_CHECKSUM;
  plain.tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS | RTE_ETH_TX_OFFLOAD_IPV4_CKSUM;
  EXPECT_EQ(choose_offloads(plain, sent_pools::one).rx, 0u);
  EXPECT_EQ(choose_offloads(plain, sent_pools::one).tx, RTE_ETH_TX_OFFLOAD_MULTI_SEGS);
}

[[nodiscard]] rte_eth_desc_lim limits_of(std::uint16_t segments, std::uint16_t segments_of_mtu) {
  rte_eth_desc_lim made{};
  made.nb_seg_max = segments;
  made.nb_mtu_seg_max = segments_of_mtu;
  return made;
}

TEST(max_segments_of, is_what_a_driver_takes_of_a_packet_that_its_device_does_not_cut_up) {
  EXPECT_EQ(max_segments_of(limits_of(255, 8)), 8);
  EXPECT_EQ(max_segments_of(limits_of(40, UINT16_MAX)), 0) << "no limit";
  EXPECT_EQ(max_segments_of({}), 0);
}

TEST(describe_port, tells_who_was_asked_to_receive_nothing) {
  for (auto const* const told : {"no-rx=1", "size=60,no-rx=1"}) {
    EXPECT_TRUE((test::null_device{"net_null_deaf", told}.facts().receives_nothing)) << told;
  }
  for (auto const* const told : {"", "copy=0,size=60", "no-rx=0"}) {
    EXPECT_FALSE((test::null_device{"net_null_hears", told}.facts().receives_nothing)) << told;
  }
}

}  // namespace
}  // namespace packetwarp
