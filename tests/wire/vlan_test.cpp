// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/vlan.h"

#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"

namespace packetwarp::wire {
namespace {

TEST(vlan, reads_identifier_priority_and_the_type_behind) {
  auto packet = test::packet_builder{}.eth().vlan(0xabc, 5).ipv4().build();
  EXPECT_EQ(ethernet_view{packet.data()}.type(), ether_type::vlan);
  vlan_view const tag{packet.data() + 14};
  EXPECT_EQ(tag.id(), 0xabc);
  EXPECT_EQ(tag.priority(), 5);
  EXPECT_FALSE(tag.drop_eligible());
  EXPECT_EQ(tag.type(), ether_type::ipv4);
}

TEST(vlan, setting_one_field_leaves_the_others) {
  test::bytes made(4);
  vlan_view const tag{made.data()};
  tag.set_control(0xffff);
  tag.set_id(5);
  EXPECT_EQ(tag.control(), 0xf005);
  tag.set_priority(2);
  EXPECT_EQ(tag.control(), 0x5005);
  EXPECT_TRUE(tag.drop_eligible());
  tag.set_type(ether_type::arp);
  EXPECT_EQ(tag.type(), ether_type::arp);
  EXPECT_EQ(tag.id(), 5);
}

TEST(vlan, needs_four_bytes) {
  EXPECT_FALSE(vlan_view<std::byte>::check_length(3));
  EXPECT_TRUE(vlan_view<std::byte>::check_length(4));
}

}  // namespace
}  // namespace packetwarp::wire
