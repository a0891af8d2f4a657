// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "twin/twin_steering.h"

#include <gtest/gtest.h>

#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "pipeline/receive_job.h"

namespace packetwarp {
namespace {

using test::packet_builder;

constexpr auto own_mac = "02:00:00:00:00:88";

[[nodiscard]] twin_config its_config() {
  return {.port = {},
          .interface = "lan.kni",
          .mac = wire::parse_mac(own_mac).value(),
          .addresses = {},
          .flows = {wire::parse_ipv4("192.168.88.88").value(), wire::parse_ipv6("2001::88").value()}};
}

class twin_steering_test : public testing::Test {
 protected:
  [[nodiscard]] bool is_hosts(packet_builder const& built) {
    auto* const packet = test::make_packet(pool_, built.build());
    bool const said = steering_.is_hosts(*packet);
    rte_pktmbuf_free(packet);
    return said;
  }
  [[nodiscard]] static packet_builder to(char const* mac) { return packet_builder{}.eth("02:00:00:00:00:01", mac); }

  packet_pool pool_{test::small_pool("kernel_steering_test", 63, 256)};
  twin_steering steering_{its_config()};
};

TEST_F(twin_steering_test, takes_packets_to_its_addresses) {
  EXPECT_TRUE(is_hosts(to(own_mac).ipv4("10.0.0.1", "192.168.88.88").tcp(1, 22)));
  EXPECT_TRUE(is_hosts(to(own_mac).ipv6("2001::1", "2001::88").tcp(1, 22)));
}

TEST_F(twin_steering_test, leaves_what_is_to_others) {
  EXPECT_FALSE(is_hosts(to(own_mac).ipv4("10.0.0.1", "192.168.88.89").tcp(1, 22)));
  EXPECT_FALSE(is_hosts(to(own_mac).ipv6("2001::1", "2001::89").tcp(1, 22)));
  EXPECT_FALSE(is_hosts(to("02:00:00:00:00:99").ipv4("10.0.0.1", "192.168.88.88").tcp(1, 22)));
  EXPECT_FALSE(is_hosts(to(own_mac).vlan(5).ipv4("10.0.0.1", "192.168.88.88").tcp(1, 22)));
  EXPECT_FALSE(is_hosts(to("ff:ff:ff:ff:ff:ff").arp_request("192.168.88.1", "192.168.88.88")));
}

TEST_F(twin_steering_test, reads_no_further_than_a_frame_goes) {
  for (auto const& whole :
       {to(own_mac).ipv4("10.0.0.1", "192.168.88.88").build(), to(own_mac).ipv6("2001::1", "2001::88").build()}) {
    for (std::size_t length = 1; length < whole.size(); ++length) {
      auto* const packet = test::make_packet(pool_, std::span{whole}.first(length));
      EXPECT_FALSE(steering_.is_hosts(*packet)) << length;
      rte_pktmbuf_free(packet);
    }
  }
}

// The router asks for its neighbours with the same address, and must see their answers.
TEST_F(twin_steering_test, leaves_neighbour_discovery) {
  auto frame = to(own_mac).ipv6("2001::1", "2001::88").protocol(58).payload(24).build();
  frame[14 + 7] = std::byte{255};
  frame[14 + 40] = std::byte{136};
  auto* const packet = test::make_packet(pool_, frame);
  EXPECT_FALSE(steering_.is_hosts(*packet));
  EXPECT_EQ(why_control_plane(*packet), punt_reason::neighbour_discovery);
  *rte_pktmbuf_mtod_offset(packet, std::byte*, 14 + 7) = std::byte{254};
  EXPECT_TRUE(steering_.is_hosts(*packet)) << "it came over a router";
  EXPECT_FALSE(why_control_plane(*packet).has_value());
  rte_pktmbuf_free(packet);
}

}  // namespace
}  // namespace packetwarp
