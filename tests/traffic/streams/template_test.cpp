// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/streams/template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"
#include "traffic/usage_text.h"

namespace packetwarp::traffic {
namespace {

using test::packet_builder;
using test::to_hex;
using test::usage_text;
using testing::HasSubstr;

std::string frame_of(std::string_view text, std::uint16_t size) {
  return to_hex(build_frame(parse_template(text), frame_size{size}));
}

TEST(build_frame, makes_the_udp_packet_that_the_builder_makes) {
  auto const expected = packet_builder{}.eth().ipv4().udp(1000, 2000).payload(18).build();
  EXPECT_EQ(frame_of("udp", 64), to_hex(expected));
}

TEST(build_frame, makes_every_preset_as_the_builder_does) {
  EXPECT_EQ(frame_of("tcp", 64),
            to_hex(packet_builder{}.eth().ipv4().tcp(1000, 2000, wire::tcp_flag::ack).payload(6).build()));
  EXPECT_EQ(frame_of("icmp", 64), to_hex(packet_builder{}.eth().ipv4().icmp_echo(1, 1).payload(18).build()));
  EXPECT_EQ(frame_of("udp6", 70), to_hex(packet_builder{}.eth().ipv6().udp(1000, 2000).payload(4).build()));
  EXPECT_EQ(frame_of("vlan", 70), to_hex(packet_builder{}.eth().vlan(1).ipv4().udp(1000, 2000).payload(20).build()));
}

TEST(build_frame, writes_every_value_that_a_template_says) {
  auto const expected = packet_builder{}
                            .eth("02:aa:00:00:00:01", "02:bb:00:00:00:02")
                            .service_vlan(100, 5)
                            .vlan(7)
                            .ipv4("192.0.2.1", "198.51.100.255")
                            .ttl(3)
                            .icmp_echo(258, 772)
                            .payload(61)
                            .build();
  EXPECT_EQ(frame_of("eth(src=02:aa:00:00:00:01,dst=02:bb:00:00:00:02)/vlan(id=100,prio=5,type=0x88a8)/vlan(id=7)/"
                     "ipv4(src=192.0.2.1,dst=198.51.100.255,ttl=3)/icmp(id=0x102,seq=772)",
                     115),
            to_hex(expected));
}

TEST(build_frame, sums_icmpv6_with_its_pseudo_header) {
  auto const expected =
      packet_builder{}.eth().ipv6("2001:db8::9", "2001:db8:1::a").ttl(1).icmp_echo(5, 6).payload(33).build();
  EXPECT_EQ(frame_of("ipv6(src=2001:db8::9,dst=2001:db8:1::a,hlim=1)/icmp(id=5,seq=6)", 99), to_hex(expected));
}

TEST(build_frame, fills_jumbo_frames) {
  auto const expected = packet_builder{}.eth().ipv4().udp(1000, 2000).payload(9000 - 4 - 42).build();
  EXPECT_EQ(frame_of("udp", 9000), to_hex(expected));
}

TEST(build_frame, takes_the_sizes_of_rfc_2544_and_counts_the_check_sequence) {
  for (frame_size const size : rfc2544_sizes) {
    EXPECT_EQ(build_frame(parse_template("udp"), size).size(), size.on_wire() - 4U);
  }
}

TEST(build_frame, refuses_sizes_that_are_none_or_too_small_for_the_headers) {
  auto const build = [](std::string_view text, std::uint16_t size) {
    return usage_text([&] { (void)build_frame(parse_template(text), frame_size{size}); });
  };
  EXPECT_THAT(build("udp", 63), HasSubstr("64 to 9600"));
  EXPECT_THAT(build("udp", 9601), HasSubstr("64 to 9600"));
  EXPECT_THAT(build("ipv6/tcp", 77), HasSubstr("need 78 bytes or more"));
  EXPECT_EQ(build_frame(parse_template("ipv6/tcp"), frame_size{78}).size(), 74U);
}

TEST(smallest_frame, holds_headers_payload_and_check_sequence) {
  EXPECT_EQ(smallest_frame(parse_template("udp")).on_wire(), 64);
  EXPECT_EQ(smallest_frame(parse_template("udp"), 16).on_wire(), 64);
  EXPECT_EQ(smallest_frame(parse_template("tcp"), 16).on_wire(), 14 + 20 + 20 + 16 + 4);
  EXPECT_EQ(smallest_frame(parse_template("vlan/ipv6/udp"), 16).on_wire(), 18 + 40 + 8 + 16 + 4);
}

}  // namespace
}  // namespace packetwarp::traffic
