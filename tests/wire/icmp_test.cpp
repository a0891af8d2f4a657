// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/icmp.h"

#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"
#include "wire/checksum.h"

namespace packetwarp::wire {
namespace {

TEST(icmp, reads_an_echo_request) {
  auto packet = test::packet_builder{}.ipv4().icmp_echo(7, 9).payload(4).build();
  icmp_view const icmp{packet.data() + 20};
  EXPECT_EQ(icmp.type(), icmp_type::echo_request);
  EXPECT_EQ(icmp.code(), 0);
  EXPECT_EQ(icmp.identifier(), 7);
  EXPECT_EQ(icmp.sequence(), 9);
  EXPECT_TRUE(internet_sum{}.add(packet.data() + 20, packet.size() - 20).is_intact());
}

TEST(icmp, version_six_sums_its_pseudo_header) {
  auto packet = test::packet_builder{}.ipv6().icmp_echo(7, 9).payload(4).build();
  EXPECT_EQ(icmp_view{packet.data() + 40}.type_v6(), icmpv6_type::echo_request);
  auto const pseudo =
      pseudo_header_sum(*parse_ipv6("2001:db8::1"), *parse_ipv6("2001:db8::2"), ip_protocol::icmpv6, 12U);
  EXPECT_TRUE(internet_sum{pseudo}.add(packet.data() + 40, 12).is_intact());
}

TEST(icmp, a_reply_is_a_request_with_its_type_changed_and_its_sum_updated) {
  auto packet = test::packet_builder{}.ipv4().icmp_echo(7, 9).payload(4).build();
  icmp_view const icmp{packet.data() + 20};
  icmp.set_type(icmp_type::echo_reply);
  icmp.set_checksum(checksum_update{}.replace16(0x0800, 0x0000).apply(icmp.checksum()));
  EXPECT_TRUE(internet_sum{}.add(packet.data() + 20, packet.size() - 20).is_intact());
}

TEST(icmp, needs_eight_bytes) {
  EXPECT_FALSE(icmp_view<std::byte>::check_length(7));
  EXPECT_TRUE(icmp_view<std::byte>::check_length(8));
}

}  // namespace
}  // namespace packetwarp::wire
