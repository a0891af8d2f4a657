// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/ipv6.h"

#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"
#include "wire/ipv6_extension.h"

namespace packetwarp::wire {
namespace {

ipv6_walk walk_of(test::bytes const& packet) {
  ipv6_view const ip{packet.data()};
  return walk_ipv6_extensions(ip.payload(), packet.size() - ip.header_length, ip.next_header());
}

TEST(ipv6, reads_what_the_builder_wrote) {
  auto packet = test::packet_builder{}.ipv6("2001:db8::1", "fe80::2").ttl(9).udp(1, 2).payload(5).build();
  ipv6_view const ip{packet.data()};
  ASSERT_TRUE(ip.check_length(packet.size()));
  EXPECT_EQ(ip.version(), 6);
  EXPECT_EQ(ip.payload_length(), 13);
  EXPECT_EQ(ip.next_header(), ip_protocol::udp);
  EXPECT_EQ(ip.hop_limit(), 9);
  EXPECT_EQ(to_text(ip.source()), "2001:db8::1");
  EXPECT_EQ(to_text(ip.destination()), "fe80::2");
}

TEST(ipv6, writes_what_the_builder_writes) {
  test::bytes made(40);
  ipv6_view const ip{made.data()};
  ip.set_version_and_flow(0, 0);
  ip.set_payload_length(0);
  ip.set_next_header(ip_protocol::no_next_header);
  ip.set_hop_limit(64);
  ip.set_source(*parse_ipv6("2001:db8::1"));
  ip.set_destination(*parse_ipv6("2001:db8::2"));
  EXPECT_EQ(made, test::packet_builder{}.ipv6().build());
  ip.set_version_and_flow(0xb8, 0xabcde);
  EXPECT_EQ(ip.version(), 6);
  EXPECT_EQ(ip.traffic_class(), 0xb8);
  EXPECT_EQ(ip.flow_label(), 0xabcdeU);
}

TEST(ipv6, check_length_refuses_every_truncation) {
  auto packet = test::packet_builder{}.ipv6().udp(1, 2).payload(3).build();
  for (std::size_t length = 0; length < packet.size(); ++length) {
    test::bytes const cut{packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(length)};
    EXPECT_FALSE(ipv6_view{cut.data()}.check_length(cut.size())) << length;
  }
}

TEST(ipv6, the_walk_steps_over_every_extension_header) {
  auto packet = test::packet_builder{}
                    .ipv6()
                    .hop_by_hop()
                    .destination_options()
                    .routing()
                    .fragment6(0, 1)
                    .destination_options()
                    .udp(1, 2)
                    .build();
  ipv6_walk const walk = walk_of(packet);
  EXPECT_EQ(walk.ended, ipv6_walk::outcome::complete);
  EXPECT_EQ(walk.protocol, ip_protocol::udp);
  EXPECT_EQ(walk.offset, 8U + 8U + 24U + 8U + 8U);
  EXPECT_EQ(walk.has_fragment_header, 1);
  EXPECT_EQ(walk.more_fragments, 1);
}

TEST(ipv6, the_walk_stops_at_a_later_fragment) {
  // A walk that went on would take the next bytes for hop-by-hop options.
  auto packet = test::packet_builder{}.ipv6().fragment6(1232, 0).hop_by_hop().payload(8).build();
  ipv6_walk const walk = walk_of(packet);
  EXPECT_EQ(walk.ended, ipv6_walk::outcome::complete);
  EXPECT_EQ(walk.protocol, ip_protocol::hop_by_hop);
  EXPECT_EQ(walk.offset, 8U);
  EXPECT_EQ(walk.fragment_offset, 1232U);
}

TEST(ipv6, a_packet_is_a_fragment_if_any_fragment_header_says_so) {
  auto const more_of = [](unsigned first, unsigned second) {
    return walk_of(test::packet_builder{}.ipv6().fragment6(0, first).fragment6(0, second).udp(1, 2).build())
        .more_fragments;
  };
  EXPECT_EQ(more_of(1, 0), 1);
  EXPECT_EQ(more_of(0, 1), 1);
  EXPECT_EQ(more_of(1, 1), 1);
  EXPECT_EQ(more_of(0, 0), 0);
}

TEST(ipv6, the_walk_says_truncated_wherever_the_bytes_end) {
  auto packet = test::packet_builder{}.ipv6().hop_by_hop().routing().destination_options().udp(1, 2).build();
  for (std::size_t length = 40; length < 40 + 8 + 24 + 8; ++length) {
    test::bytes const cut{packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(length)};
    EXPECT_EQ(walk_of(cut).ended, ipv6_walk::outcome::truncated) << length;
  }
}

TEST(ipv6, the_walk_gives_up_after_eight_headers) {
  test::packet_builder builder;
  builder.ipv6();
  for (unsigned i = 0; i < max_ipv6_extensions; ++i) builder.destination_options();
  EXPECT_EQ(walk_of(builder.build()).ended, ipv6_walk::outcome::complete);
  EXPECT_EQ(walk_of(builder.destination_options().build()).ended, ipv6_walk::outcome::too_many);
}

}  // namespace
}  // namespace packetwarp::wire
