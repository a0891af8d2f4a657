// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/ethernet.h"

#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"

namespace packetwarp::wire {
namespace {

TEST(ethernet, reads_what_the_builder_wrote) {
  auto packet = test::packet_builder{}.eth("02:00:00:00:00:0a", "02:00:00:00:00:0b").ipv4().build();
  ethernet_view const view{packet.data()};
  EXPECT_EQ(to_text(view.source()), "02:00:00:00:00:0a");
  EXPECT_EQ(to_text(view.destination()), "02:00:00:00:00:0b");
  EXPECT_EQ(view.type(), ether_type::ipv4);
  EXPECT_EQ(view.payload(), packet.data() + 14);
}

TEST(ethernet, needs_fourteen_bytes) {
  EXPECT_FALSE(ethernet_view<std::byte>::check_length(13));
  EXPECT_TRUE(ethernet_view<std::byte>::check_length(14));
}

TEST(ethernet, swapping_addresses_touches_nothing_else) {
  auto packet = test::packet_builder{}.eth("02:00:00:00:00:0a", "02:00:00:00:00:0b").ipv4().udp(1, 2).build();
  auto const swapped = test::packet_builder{}.eth("02:00:00:00:00:0b", "02:00:00:00:00:0a").ipv4().udp(1, 2).build();
  ethernet_view{packet.data()}.swap_addresses();
  EXPECT_EQ(packet, swapped);
}

TEST(ethernet, writes_what_the_builder_writes) {
  test::bytes made(14);
  ethernet_view const view{made.data()};
  view.set_source(*parse_mac("02:00:00:00:00:01"));
  view.set_destination(*parse_mac("02:00:00:00:00:02"));
  view.set_type(ether_type::ipv6);
  auto const wanted = test::packet_builder{}.eth().ipv6().build();
  EXPECT_EQ(made, test::bytes(wanted.begin(), wanted.begin() + 14));
}

}  // namespace
}  // namespace packetwarp::wire
