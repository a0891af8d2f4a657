// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "flow/nic.h"

#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include <algorithm>
#include <map>

#include "flow/grammar.h"
#include "flow/parser.h"

namespace packetwarp::flow {
namespace {

nic_rule compile(std::string_view line, rss_defaults const& rss = {}) {
  return nic_rule{std::get<create_rule>(parse_command(line).what).what, rss};
}

// test_testpmd.py shows that every byte is testpmd's; this is about the use of the arrays.
TEST(nic_rule, has_arrays_that_end) {
  auto const made = compile(
      "flow create 0 group 1 priority 2 egress pattern eth / ipv4 src is 1.2.3.4 / end actions queue index 3 / end");
  EXPECT_EQ(made.attr().group, 1u);
  EXPECT_EQ(made.attr().priority, 2u);
  EXPECT_EQ(made.attr().ingress, 0u);
  EXPECT_EQ(made.attr().egress, 1u);
  EXPECT_EQ(made.pattern()[0].type, RTE_FLOW_ITEM_TYPE_ETH);
  EXPECT_EQ(made.pattern()[0].spec, nullptr);
  EXPECT_EQ(made.pattern()[1].type, RTE_FLOW_ITEM_TYPE_IPV4);
  EXPECT_EQ(static_cast<rte_flow_item_ipv4 const*>(made.pattern()[1].spec)->hdr.src_addr, RTE_BE32(0x01020304));
  EXPECT_EQ(static_cast<rte_flow_item_ipv4 const*>(made.pattern()[1].mask)->hdr.src_addr, RTE_BE32(0xffffffff));
  EXPECT_EQ(made.pattern()[1].last, nullptr);
  EXPECT_EQ(made.pattern()[2].type, RTE_FLOW_ITEM_TYPE_END);
  EXPECT_EQ(made.actions()[0].type, RTE_FLOW_ACTION_TYPE_QUEUE);
  EXPECT_EQ(static_cast<rte_flow_action_queue const*>(made.actions()[0].conf)->index, 3u);
  EXPECT_EQ(made.actions()[1].type, RTE_FLOW_ACTION_TYPE_END);
}

TEST(nic_rule, keeps_its_arrays_when_it_is_moved) {
  auto made = compile("flow create 0 ingress pattern udp src is 9 / end actions rss queues 5 end / end");
  auto const* const pattern = made.pattern();
  auto const* const conf = made.actions()[0].conf;
  auto const moved = std::move(made);
  EXPECT_EQ(moved.pattern(), pattern);
  EXPECT_EQ(moved.actions()[0].conf, conf);
  EXPECT_EQ(static_cast<rte_flow_item_udp const*>(moved.pattern()[0].spec)->hdr.src_port, RTE_BE16(9));
  EXPECT_EQ(*static_cast<rte_flow_action_rss const*>(moved.actions()[0].conf)->queue, 5u);
}

TEST(nic_rule, spreads_over_the_ports_queues_unless_the_rule_names_some) {
  rss_defaults const port{.types = RTE_ETH_RSS_UDP, .queues = 3};
  auto const plain = compile("flow create 0 ingress pattern eth / end actions rss / end", port);
  auto const& conf = *static_cast<rte_flow_action_rss const*>(plain.actions()[0].conf);
  EXPECT_EQ(conf.types, RTE_ETH_RSS_UDP);
  ASSERT_EQ(conf.queue_num, 3u);
  EXPECT_EQ(conf.queue[2], 2u);
  auto const many = compile("flow create 0 ingress pattern eth / end actions rss / end", {.types = 0, .queues = 1000});
  EXPECT_EQ(static_cast<rte_flow_action_rss const*>(many.actions()[0].conf)->queue_num, 128u);
  auto const none = compile("flow create 0 ingress pattern eth / end actions rss queues end types end / end", port);
  EXPECT_EQ(static_cast<rte_flow_action_rss const*>(none.actions()[0].conf)->queue, nullptr);
  EXPECT_EQ(static_cast<rte_flow_action_rss const*>(none.actions()[0].conf)->types, 0u);
}

TEST(grammar, has_ethdevs_numbers_for_hash_types) {
  EXPECT_EQ(default_rss_types, RTE_ETH_RSS_IP);
  std::map<std::string_view, std::uint64_t> const known{
      {"ip", RTE_ETH_RSS_IP},
      {"udp", RTE_ETH_RSS_UDP},
      {"tcp", RTE_ETH_RSS_TCP},
      {"sctp", RTE_ETH_RSS_SCTP},
      {"tunnel", RTE_ETH_RSS_TUNNEL},
      {"vlan", RTE_ETH_RSS_VLAN},
      {"ipv4-udp", RTE_ETH_RSS_NONFRAG_IPV4_UDP},
      {"ipv6-tcp-ex", RTE_ETH_RSS_IPV6_TCP_EX},
      {"l2-payload", RTE_ETH_RSS_L2_PAYLOAD},
      {"gtpu", RTE_ETH_RSS_GTPU},
      {"l2tpv2", RTE_ETH_RSS_L2TPV2},
      {"l3-pre64", RTE_ETH_RSS_L3_PRE64},
      {"l4-src-only", RTE_ETH_RSS_L4_SRC_ONLY},
  };
  std::size_t found = 0;
  for (auto const& type : rss_types()) {
    auto const wanted = known.find(type.name);
    if (wanted == known.end()) continue;
    EXPECT_EQ(type.bits, wanted->second) << type.name;
    ++found;
  }
  EXPECT_EQ(found, known.size());
}

}  // namespace
}  // namespace packetwarp::flow
