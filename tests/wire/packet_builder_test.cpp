// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "fixtures/packet_builder.h"

#include <gtest/gtest.h>

namespace packetwarp::test {
namespace {

// The packets of scapy 2.6.1 for the same descriptions: the builder agrees with an independent implementation.
constexpr auto macs = "020000000002020000000001";

TEST(packet_builder, builds_the_udp_packet_scapy_builds) {
  EXPECT_EQ(to_hex(packet_builder{}.eth().ipv4().udp(1000, 2000).payload(18).build()),
            macs + std::string{"08004500002e00010000401166bc0a0000010a00000203e807d0001a97ae"
                               "000102030405060708090a0b0c0d0e0f1011"});
}

TEST(packet_builder, builds_the_udp_packet_of_odd_length_scapy_builds) {
  EXPECT_EQ(to_hex(packet_builder{}.eth().ipv4().udp(1000, 2000).payload(17).build()),
            macs + std::string{"08004500002d00010000401166bd0a0000010a00000203e807d0001997c1"
                               "000102030405060708090a0b0c0d0e0f10"});
}

TEST(packet_builder, builds_the_tcp_packet_scapy_builds) {
  EXPECT_EQ(to_hex(packet_builder{}.eth().ipv4().tcp(1000, 2000).payload(6).build()),
            macs + std::string{"08004500002e00010000400666c70a0000010a00000203e807d00000000100000000500220006a180000"
                               "000102030405"});
}

TEST(packet_builder, builds_the_echo_request_scapy_builds) {
  EXPECT_EQ(to_hex(packet_builder{}.eth().ipv4().icmp_echo(1, 2).payload(18).build()),
            macs + std::string{"08004500002e00010000400166cc0a0000010a0000020800afab00010002"
                               "000102030405060708090a0b0c0d0e0f1011"});
}

TEST(packet_builder, builds_the_ipv6_packets_scapy_builds) {
  auto const addresses = std::string{"20010db800000000000000000000000120010db8000000000000000000000002"};
  EXPECT_EQ(to_hex(packet_builder{}.eth().ipv6().udp(1000, 2000).payload(18).build()),
            macs + ("86dd60000000001a1140" + addresses) + "03e807d0001a503c000102030405060708090a0b0c0d0e0f1011");
  EXPECT_EQ(to_hex(packet_builder{}.eth().ipv6().icmp_echo(1, 2).payload(18).build()),
            macs + ("86dd60000000001a3a40" + addresses) + "8000dbe100010002000102030405060708090a0b0c0d0e0f1011");
}

TEST(packet_builder, builds_the_extension_headers_scapy_builds) {
  auto built = packet_builder{}
                   .eth()
                   .ipv6()
                   .hop_by_hop()
                   .fragment6(0, 1)
                   .destination_options()
                   .udp(1000, 2000)
                   .payload(18)
                   .build();
  EXPECT_EQ(to_hex(built).substr(28),
            "600000000032004020010db800000000000000000000000120010db8000000000000000000000002"
            "2c000104000000003c00000100000007110001040000000003e807d0001a503c000102030405060708090a0b0c0d0e0f1011");
}

TEST(packet_builder, builds_the_stacked_vlan_tags_scapy_builds) {
  EXPECT_EQ(to_hex(packet_builder{}.eth().service_vlan(100, 3).vlan(5).ipv4().udp(1000, 2000).payload(18).build()),
            macs + std::string{"88a860648100000508004500002e00010000401166bc0a0000010a00000203e807d0001a97ae"
                               "000102030405060708090a0b0c0d0e0f1011"});
}

TEST(packet_builder, builds_the_router_alert_option_scapy_builds) {
  EXPECT_EQ(to_hex(packet_builder{}.eth().ipv4().options(to_bytes({0x94, 4, 0, 0})).udp(1, 2).payload(18).build()),
            macs + std::string{"080046000032000100004011d1b30a0000010a0000029404000000010002001aa363"
                               "000102030405060708090a0b0c0d0e0f1011"});
}

TEST(packet_builder, builds_the_arp_request_scapy_builds) {
  EXPECT_EQ(to_hex(packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build()),
            macs + std::string{"080600010800060400010200000000010a0000010000000000000a000002"});
}

}  // namespace
}  // namespace packetwarp::test
