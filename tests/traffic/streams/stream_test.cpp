// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/streams/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fixtures/packet_builder.h"
#include "traffic/usage_text.h"
#include "wire/address_text.h"

namespace packetwarp::traffic {
namespace {

using test::packet_builder;
using test::to_hex;
using testing::HasSubstr;

stream_config config_of(std::string_view description, std::string_view flows, std::string_view sizes) {
  stream_config config;
  config.description = parse_template(description);
  config.flows = parse_pattern(flows);
  config.sizes = size_mix::parse(sizes);
  return config;
}

test::bytes packet(stream const& sent, std::uint64_t index, std::uint64_t ticks = 77) {
  test::bytes made(sent.length(index));
  sent.write(index, ticks, made.data());
  return made;
}

// The bytes after the headers of a packet.
test::bytes payload_of(test::bytes const& frame, std::size_t headers) {
  return {frame.begin() + static_cast<std::ptrdiff_t>(headers), frame.end()};
}

TEST(stream, keeps_every_checksum_right_as_fields_step) {
  stream const sent{
      config_of("vlan/ipv4/udp", "vlan.id=10..12,ipv4.src=10.0.0.250..10.0.1.4,udp.dport=1..4", "72,131")};
  for (std::uint64_t i = 0; i < 2000; ++i) {
    test::bytes const made = packet(sent, i);
    std::uint64_t const flow = i % (3 * 11 * 4);
    auto const source = wire::to_text(wire::ipv4_address{0x0a0000fa + static_cast<std::uint32_t>(flow / 3 % 11)});
    auto const expected = packet_builder{}
                              .eth()
                              .vlan(static_cast<unsigned>(10 + flow % 3))
                              .ipv4(source)
                              .udp(1000, static_cast<unsigned>(1 + flow / 33))
                              .payload(payload_of(made, 46))
                              .build();
    ASSERT_EQ(to_hex(made), to_hex(expected)) << i;
  }
}

TEST(stream, keeps_checksums_right_over_ipv6_and_in_icmp_and_tcp) {
  stream const udp6{config_of("udp6", "ipv6.dst=2001:db8::fffe..2001:db8::1:3,udp.sport=0..65535", "83")};
  stream const tcp{config_of("tcp", "ipv4.dst=255.255.255.0..255.255.255.255,tcp.sport=7..9", "74")};
  stream const icmp{config_of("icmp", "icmp.id=0..65535,ipv4.src=1.1.1.1..1.1.2.1", "64")};
  for (std::uint64_t i = 0; i < 70'000; i += 7) {
    auto const low = wire::ipv6_address{0x20010db8'0000'0000, 0xfffe + i % 6};
    test::bytes made = packet(udp6, i);
    ASSERT_EQ(to_hex(made), to_hex(packet_builder{}
                                       .eth()
                                       .ipv6("2001:db8::1", wire::to_text(low))
                                       .udp(static_cast<unsigned>(i / 6 % 65536), 2000)
                                       .payload(payload_of(made, 62))
                                       .build()));
    made = packet(tcp, i);
    auto const to = wire::to_text(wire::ipv4_address{0xffffff00 + static_cast<std::uint32_t>(i % 256)});
    ASSERT_EQ(to_hex(made), to_hex(packet_builder{}
                                       .eth()
                                       .ipv4("10.0.0.1", to)
                                       .tcp(static_cast<unsigned>(7 + i / 256 % 3), 2000, wire::tcp_flag::ack)
                                       .payload(payload_of(made, 54))
                                       .build()));
    made = packet(icmp, i);
    auto const from =
        wire::to_text(wire::ipv4_address{0x01010101 + static_cast<std::uint32_t>(i % (65536 * 257) / 65536)});
    ASSERT_EQ(to_hex(made), to_hex(packet_builder{}
                                       .eth()
                                       .ipv4(from)
                                       .icmp_echo(static_cast<unsigned>(i % 65536), 1)
                                       .payload(payload_of(made, 42))
                                       .build()));
  }
}

TEST(stream, fills_the_payload_with_counting_bytes_and_its_signature) {
  auto config = config_of("udp", "", "100");
  config.number = 9;
  stream const sent{config};
  test::bytes const made = packet(sent, 123, 456);
  ASSERT_EQ(made.size(), 96U);
  for (std::size_t i = 42; i < 80; ++i) EXPECT_EQ(static_cast<std::size_t>(made[i]), i - 42);
  EXPECT_EQ(read_signature(made.data() + 80, sent.key()), (signature{9, 456, 123}));
}

TEST(stream, varies_fields_no_checksum_covers) {
  stream const sent{config_of("vlan(prio=5)/ipv4/udp", "eth.dst=02:00:00:00:01:00..02:00:00:00:01:09,vlan.id=7", "68")};
  for (std::uint64_t i = 0; i < 30; ++i) {
    test::bytes const made = packet(sent, i);
    auto const mac = wire::to_text(wire::mac_address::from_number(0x020000000100 + i % 10));
    ASSERT_EQ(to_hex(made), to_hex(packet_builder{}
                                       .eth("02:00:00:00:00:01", mac)
                                       .vlan(7, 5)
                                       .ipv4()
                                       .udp(1000, 2000)
                                       .payload(payload_of(made, 46))
                                       .build()));
  }
}

TEST(stream, draws_random_fields_by_flow_and_seed) {
  auto config = config_of("udp", "ipv4.src=10.0.0.0..10.255.255.255:random,flows=50", "64");
  auto const sources = [](stream const& sent) {
    std::set<std::string> seen;
    for (std::uint64_t i = 0; i < 200; ++i) {
      test::bytes const made = packet(sent, i);
      EXPECT_EQ(made[26], std::byte{10});
      EXPECT_EQ(payload_of(made, 26)[3], packet(sent, i + 50)[29]) << "a flow keeps its address";
      seen.insert(to_hex(std::span{made}.subspan(26, 4)));
    }
    return seen;
  };
  auto const first = sources(stream{config});
  EXPECT_EQ(first.size(), 50U);
  EXPECT_EQ(first, sources(stream{config}));
  config.seed = 2;
  EXPECT_NE(first, sources(stream{config}));
}

TEST(stream, mixes_sizes_and_says_their_lengths) {
  stream const sent{config_of("udp", "", "imix")};
  std::map<unsigned, unsigned> lengths;
  for (std::uint64_t i = 0; i < 120; ++i) ++lengths[sent.length(i)];
  EXPECT_EQ(lengths, (std::map<unsigned, unsigned>{{60, 70}, {590, 40}, {1514, 10}}));
  EXPECT_EQ(sent.largest_length(), 1514);
}

TEST(stream, without_signatures_sends_the_template_as_it_is) {
  auto config = config_of("tcp", "", "64");
  config.signatures = signing::off;
  stream const sent{config};
  EXPECT_EQ(to_hex(packet(sent, 5)), to_hex(build_frame(parse_template("tcp"), frame_size{64})));
}

TEST(stream, refuses_sizes_that_the_signature_does_not_fit_into) {
  auto const refusal = [](std::string_view description, std::string_view size) {
    return test::usage_text([&] { stream{config_of(description, "", size)}; });
  };
  EXPECT_THAT(refusal("tcp", "64"), HasSubstr("need 74 or more"));
  EXPECT_THAT(refusal("tcp", "64"), HasSubstr("without signatures"));
  EXPECT_THAT(refusal("udp6", "1518,64"), HasSubstr("need 82 or more"));
}

}  // namespace
}  // namespace packetwarp::traffic
