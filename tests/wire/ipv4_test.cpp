// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/ipv4.h"

#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"

namespace packetwarp::wire {
namespace {

TEST(ipv4, reads_a_header_with_options) {
  auto packet = test::packet_builder{}
                    .ipv4("192.0.2.1", "198.51.100.2")
                    .ttl(7)
                    .options(test::to_bytes({0x94, 4, 0, 0}))
                    .udp(1, 2)
                    .payload(5)
                    .build();
  ipv4_view const ip{packet.data()};
  ASSERT_TRUE(ip.check_length(packet.size()));
  EXPECT_EQ(ip.version(), 4);
  EXPECT_EQ(ip.header_length(), 24U);
  EXPECT_EQ(ip.options_length(), 4U);
  EXPECT_EQ(ip.total_length(), packet.size());
  EXPECT_EQ(ip.payload_length(), 13U);
  EXPECT_EQ(ip.ttl(), 7);
  EXPECT_EQ(ip.protocol(), ip_protocol::udp);
  EXPECT_EQ(to_text(ip.source()), "192.0.2.1");
  EXPECT_EQ(to_text(ip.destination()), "198.51.100.2");
  EXPECT_EQ(ip.payload(), packet.data() + 24);
  EXPECT_TRUE(ip.checksum_is_intact());
}

TEST(ipv4, reads_fragments_in_bytes) {
  auto packet = test::packet_builder{}.ipv4().fragment(1480, 1).protocol(17).payload(8).build();
  ipv4_view const ip{packet.data()};
  EXPECT_TRUE(ip.is_fragment());
  EXPECT_TRUE(ip.more_fragments());
  EXPECT_FALSE(ip.dont_fragment());
  EXPECT_EQ(ip.fragment_offset(), 1480U);
}

TEST(ipv4, dont_fragment_is_no_fragment) {
  test::bytes made(20);
  ipv4_view const ip{made.data()};
  ip.set_fragment_word(0x4000);
  EXPECT_TRUE(ip.dont_fragment());
  EXPECT_FALSE(ip.is_fragment());
}

TEST(ipv4, check_length_refuses_every_truncation) {
  auto packet = test::packet_builder{}.ipv4().options(test::to_bytes({1, 1, 1, 0})).udp(1, 2).payload(3).build();
  for (std::size_t length = 0; length < packet.size(); ++length) {
    test::bytes const cut{packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(length)};
    EXPECT_FALSE(ipv4_view{cut.data()}.check_length(cut.size())) << length;
  }
  EXPECT_TRUE(ipv4_view{packet.data()}.check_length(packet.size()));
}

TEST(ipv4, check_length_refuses_headers_and_totals_that_contradict) {
  auto packet = test::packet_builder{}.ipv4().udp(1, 2).payload(3).build();
  ipv4_view const ip{packet.data()};
  for (std::size_t header : {0U, 4U, 16U}) {
    ip.set_header_length(header);
    EXPECT_FALSE(ip.check_length(packet.size())) << header;
  }
  ip.set_header_length(60);
  EXPECT_FALSE(ip.check_length(packet.size())) << "header beyond the packet";
  ip.set_header_length(20);
  ip.set_total_length(19);
  EXPECT_FALSE(ip.check_length(packet.size())) << "total length below the header's";
}

TEST(ipv4, a_hop_less_keeps_the_checksum_right_for_every_ttl) {
  for (unsigned ttl = 1; ttl <= 255; ++ttl) {
    auto packet = test::packet_builder{}.ipv4().ttl(ttl).udp(1, 2).build();
    ipv4_view{packet.data()}.decrement_ttl();
    EXPECT_EQ(packet, test::packet_builder{}.ipv4().ttl(ttl - 1).udp(1, 2).build()) << ttl;
  }
}

TEST(ipv4, writes_what_the_builder_writes) {
  test::bytes made(20);
  ipv4_view const ip{made.data()};
  ip.set_header_length(20);
  ip.set_total_length(20);
  ip.set_identification(1);
  ip.set_ttl(64);
  ip.set_protocol(ip_protocol::tcp);
  ip.set_source(*parse_ipv4("10.0.0.1"));
  ip.set_destination(*parse_ipv4("10.0.0.2"));
  ip.fill_checksum();
  EXPECT_EQ(made, test::packet_builder{}.ipv4().protocol(6).build());
}

TEST(ipv4, service_and_congestion_bits_do_not_disturb_each_other) {
  test::bytes made(20);
  ipv4_view const ip{made.data()};
  ip.set_ecn(3);
  ip.set_dscp(46);
  EXPECT_EQ(ip.ecn(), 3);
  EXPECT_EQ(ip.dscp(), 46);
  ip.set_ecn(0);
  EXPECT_EQ(ip.dscp(), 46);
}

}  // namespace
}  // namespace packetwarp::wire
