// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/arp.h"

#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"

namespace packetwarp::wire {
namespace {

TEST(arp, reads_a_request) {
  auto packet = test::packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build();
  arp_view const arp{packet.data() + 14};
  EXPECT_TRUE(arp.is_ipv4_over_ethernet());
  EXPECT_EQ(arp.operation(), arp_operation::request);
  EXPECT_EQ(to_text(arp.sender_mac()), "02:00:00:00:00:01");
  EXPECT_EQ(to_text(arp.sender_ip()), "10.0.0.1");
  EXPECT_EQ(arp.target_mac().number(), 0U);
  EXPECT_EQ(to_text(arp.target_ip()), "10.0.0.2");
}

TEST(arp, writes_the_request_the_builder_writes) {
  test::bytes made(28);
  arp_view const arp{made.data()};
  arp.set_ipv4_over_ethernet();
  arp.set_operation(arp_operation::request);
  arp.set_sender(*parse_mac("02:00:00:00:00:01"), *parse_ipv4("10.0.0.1"));
  arp.set_target({}, *parse_ipv4("10.0.0.2"));
  auto const wanted = test::packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build();
  EXPECT_EQ(made, test::bytes(wanted.begin() + 14, wanted.end()));
}

TEST(arp, over_other_hardware_is_told_apart) {
  auto packet = test::packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build();
  packet[14 + 4] = std::byte{8};
  EXPECT_FALSE(arp_view{packet.data() + 14}.is_ipv4_over_ethernet());
}

TEST(arp, needs_twenty_eight_bytes) {
  EXPECT_FALSE(arp_view<std::byte>::check_length(27));
  EXPECT_TRUE(arp_view<std::byte>::check_length(28));
}

}  // namespace
}  // namespace packetwarp::wire
