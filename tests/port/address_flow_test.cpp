// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/flow/address_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/recording_nic.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

using test::recording_nic;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class address_flow_on_nic : public testing::Test {
 protected:
  address_flow_on_nic() { nic() = {}; }
  [[nodiscard]] static recording_nic& nic() { return recording_nic::instance(); }
};

TEST_F(address_flow_on_nic, matches_the_whole_destination_and_names_the_queue) {
  port_flows flows{port_id{2}};
  EXPECT_FALSE(steer_to_queue(flows, 0, wire::parse_ipv4("192.168.88.88").value(), queue_id{8}));
  EXPECT_FALSE(steer_to_queue(flows, 1, wire::parse_ipv6("2001::88").value(), queue_id{8}));
  auto const rules = nic().rules(2);
  ASSERT_THAT(rules, SizeIs(2));
  EXPECT_THAT(rules[0], HasSubstr("c0a85858")) << "the address, in the order it is sent";
  EXPECT_THAT(rules[0], HasSubstr("ffffffff"));
  EXPECT_THAT(rules[1], HasSubstr("20010000000000000000000000000088"));
  EXPECT_THAT(rules[1], HasSubstr("ffffffffffffffffffffffffffffffff"));
  for (auto const& rule : rules) EXPECT_THAT(rule, HasSubstr("0800")) << "queue 8, little-endian";
}

TEST_F(address_flow_on_nic, says_why_a_port_refuses) {
  nic().refused_items.insert(RTE_FLOW_ITEM_TYPE_IPV4);
  port_flows flows{port_id{2}};
  auto const refused = steer_to_queue(flows, 0, wire::parse_ipv4("192.168.88.88").value(), queue_id{8});
  ASSERT_TRUE(refused.has_value());
  EXPECT_NE(*refused, "");
  EXPECT_EQ(flows.size(), 0u);
}

}  // namespace
}  // namespace packetwarp
