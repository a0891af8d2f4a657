// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "wire/parse.h"

#include <gtest/gtest.h>

#include "fixtures/packet_builder.h"

namespace packetwarp::wire {
namespace {

using test::packet_builder;

// A copy of exactly `length` bytes, so that a read beyond them is seen by the address sanitizer.
layers parse_first(test::bytes const& packet, std::size_t length) {
  test::bytes const cut{packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(length)};
  return parse(cut.data(), cut.size());
}

layers parse_all(test::bytes const& packet) { return parse_first(packet, packet.size()); }

TEST(parse, finds_the_layers_of_a_udp_packet) {
  layers const found = parse_all(packet_builder{}.eth().ipv4().udp(1, 2).payload(18).build());
  EXPECT_EQ(found.error, parse_error::none);
  EXPECT_EQ(found.type, ether_type::ipv4);
  EXPECT_EQ(found.vlan_count, 0);
  EXPECT_EQ(found.l3, l3_kind::ipv4);
  EXPECT_EQ(found.l3_offset, 14);
  EXPECT_EQ(found.l4, l4_kind::udp);
  EXPECT_EQ(found.protocol, ip_protocol::udp);
  EXPECT_EQ(found.l4_offset, 34);
  EXPECT_EQ(found.payload_offset, 42);
  EXPECT_EQ(found.end, 60);
  EXPECT_EQ(found.fragment, fragment_kind::whole);
}

TEST(parse, finds_what_is_behind_two_vlan_tags) {
  layers const found =
      parse_all(packet_builder{}.eth().service_vlan(100, 3).vlan(5).ipv6().tcp(1, 2).payload(1).build());
  EXPECT_EQ(found.error, parse_error::none);
  EXPECT_EQ(found.vlan_count, 2);
  EXPECT_EQ(found.vlan_control, 3U << 13 | 100U);
  EXPECT_EQ(found.type, ether_type::ipv6);
  EXPECT_EQ(found.l3_offset, 22);
  EXPECT_EQ(found.l4, l4_kind::tcp);
  EXPECT_EQ(found.l4_offset, 62);
  EXPECT_EQ(found.payload_offset, 82);
}

TEST(parse, refuses_more_tags_than_four) {
  packet_builder builder;
  builder.eth();
  for (unsigned i = 0; i < max_vlan_tags; ++i) builder.vlan(i);
  EXPECT_EQ(parse_all(packet_builder{builder}.ipv4().udp(1, 2).build()).error, parse_error::none);
  EXPECT_EQ(parse_all(builder.vlan(9).ipv4().udp(1, 2).build()).error, parse_error::too_many_vlan_tags);
}

TEST(parse, steps_over_options_and_extension_headers) {
  layers const v4 =
      parse_all(packet_builder{}.eth().ipv4().options(test::to_bytes({1, 1, 1, 0})).icmp_echo(1, 2).build());
  EXPECT_EQ(v4.l4, l4_kind::icmp);
  EXPECT_EQ(v4.l4_offset, 38);
  layers const v6 = parse_all(packet_builder{}.eth().ipv6().hop_by_hop().routing().icmp_echo(1, 2).build());
  EXPECT_EQ(v6.l4, l4_kind::icmpv6);
  EXPECT_EQ(v6.l4_offset, 14 + 40 + 8 + 24);
  EXPECT_EQ(v6.protocol, ip_protocol::icmpv6);
}

TEST(parse, leaves_ethernets_padding_out) {
  layers const found = parse_all(packet_builder{}.eth().ipv4().udp(1, 2).payload(1).pad_to(60).build());
  EXPECT_EQ(found.error, parse_error::none);
  EXPECT_EQ(found.end, 43);
  EXPECT_EQ(parse_all(packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").pad_to(60).build()).end, 42);
}

TEST(parse, a_first_fragment_has_a_transport_header_and_a_later_one_has_not) {
  layers const first = parse_all(packet_builder{}.eth().ipv4().fragment(0, 1).udp(1, 2).payload(8).build());
  EXPECT_EQ(first.fragment, fragment_kind::first);
  EXPECT_EQ(first.l4, l4_kind::udp);
  EXPECT_EQ(first.l4_offset, 34);
  layers const later = parse_all(packet_builder{}.eth().ipv4().fragment(1480, 0).protocol(17).payload(8).build());
  EXPECT_EQ(later.error, parse_error::none);
  EXPECT_EQ(later.fragment, fragment_kind::later);
  EXPECT_EQ(later.fragment_offset, 1480);
  EXPECT_EQ(later.l4, l4_kind::none);
  EXPECT_EQ(later.l4_offset, 0);
  EXPECT_EQ(later.payload_offset, 34);
  EXPECT_EQ(later.protocol, ip_protocol::udp);
}

TEST(parse, a_first_fragments_udp_length_is_the_whole_datagrams) {
  auto packet = packet_builder{}.eth().ipv4().fragment(0, 1).udp(1, 2).payload(8).build();
  udp_view{packet.data() + 34}.set_length(3000);
  EXPECT_EQ(parse_all(packet).error, parse_error::none);
}

TEST(parse, an_atomic_ipv6_fragment_is_whole) {
  EXPECT_EQ(parse_all(packet_builder{}.eth().ipv6().fragment6(0, 0).udp(1, 2).build()).fragment, fragment_kind::whole);
  EXPECT_EQ(parse_all(packet_builder{}.eth().ipv6().fragment6(0, 1).udp(1, 2).build()).fragment, fragment_kind::first);
  layers const later = parse_all(packet_builder{}.eth().ipv6().fragment6(64, 0).protocol(17).payload(8).build());
  EXPECT_EQ(later.fragment, fragment_kind::later);
  EXPECT_EQ(later.l4_offset, 0);
}

TEST(parse, an_atomic_header_after_a_first_fragments_makes_it_no_whole_packet) {
  auto const packet = packet_builder{}.eth().ipv6().fragment6(0, 1).fragment6(0, 0).udp(1, 2).build();
  EXPECT_EQ(parse_all(packet).fragment, fragment_kind::first);
}

TEST(parse, unknown_types_and_protocols_are_no_error) {
  auto packet = packet_builder{}.eth().ipv4().protocol(47).payload(4).build();
  EXPECT_EQ(parse_all(packet).l4, l4_kind::other);
  ethernet_view{packet.data()}.set_type(ether_type{0x88cc});
  layers const found = parse_all(packet);
  EXPECT_EQ(found.error, parse_error::none);
  EXPECT_EQ(found.l3, l3_kind::none);
  EXPECT_EQ(found.type, ether_type{0x88cc});
}

// Each packet, and the error of each cut: the ends of its pieces, from the first byte on.
struct truncation {
  char const* name;
  packet_builder packet;
  std::vector<std::pair<std::size_t, parse_error>> until;
};

std::vector<truncation> truncations() {
  using enum parse_error;
  auto const ip4 = std::vector<std::pair<std::size_t, parse_error>>{{14, ethernet_truncated}, {34, ipv4_truncated}};
  auto const with = [](auto list, std::size_t end, parse_error error) {
    list.emplace_back(end, error);
    return list;
  };
  return {
      {"udp", packet_builder{}.eth().ipv4().udp(1, 2).payload(18), with(ip4, 60, ipv4_longer_than_frame)},
      {"tcp", packet_builder{}.eth().ipv4().tcp(1, 2).payload(6), with(ip4, 60, ipv4_longer_than_frame)},
      {"icmp", packet_builder{}.eth().ipv4().icmp_echo(1, 2).payload(6), with(ip4, 48, ipv4_longer_than_frame)},
      {"options", packet_builder{}.eth().ipv4().options(test::to_bytes({1, 1, 1, 0})).udp(1, 2),
       with(with(ip4, 38, ipv4_bad_header_length), 46, ipv4_longer_than_frame)},
      {"vlan",
       packet_builder{}.eth().vlan(1).vlan(2).arp_request("10.0.0.1", "10.0.0.2"),
       {{14, ethernet_truncated}, {22, vlan_truncated}, {50, arp_truncated}}},
      {"ipv6",
       packet_builder{}.eth().ipv6().hop_by_hop().udp(1, 2).payload(2),
       {{14, ethernet_truncated}, {54, ipv6_truncated}, {72, ipv6_longer_than_frame}}},
  };
}

TEST(parse, names_what_is_missing_at_every_truncation) {
  for (auto const& [name, builder, until] : truncations()) {
    auto const packet = builder.build();
    ASSERT_EQ(packet.size(), until.back().first) << name;
    std::size_t length = 0;
    for (auto const& [end, error] : until) {
      for (; length < end; ++length) EXPECT_EQ(parse_first(packet, length).error, error) << name << " at " << length;
    }
    EXPECT_EQ(parse_all(packet).error, parse_error::none) << name;
  }
}

TEST(parse, names_what_is_missing_when_the_ip_length_is_truncated_as_well) {
  auto const cut_to = [](packet_builder const& builder, std::size_t length) {
    auto packet = builder.build();
    packet.resize(length);
    ethernet_view const ethernet{packet.data()};
    if (ethernet.type() == ether_type::ipv4) {
      ipv4_view{packet.data() + 14}.set_total_length(static_cast<std::uint16_t>(length - 14));
    } else {
      ipv6_view{packet.data() + 14}.set_payload_length(static_cast<std::uint16_t>(length - 54));
    }
    return parse_all(packet).error;
  };
  auto const udp = packet_builder{}.eth().ipv4().udp(1, 2).payload(4);
  for (std::size_t i = 34; i < 42; ++i) EXPECT_EQ(cut_to(udp, i), parse_error::udp_truncated) << i;
  for (std::size_t i = 42; i < 46; ++i) EXPECT_EQ(cut_to(udp, i), parse_error::udp_bad_length) << i;
  auto const tcp = packet_builder{}.eth().ipv4().tcp(1, 2, tcp_flag::syn, test::to_bytes({1, 1, 1, 0}));
  for (std::size_t i = 34; i < 54; ++i) EXPECT_EQ(cut_to(tcp, i), parse_error::tcp_truncated) << i;
  for (std::size_t i = 54; i < 58; ++i) EXPECT_EQ(cut_to(tcp, i), parse_error::tcp_bad_data_offset) << i;
  auto const icmp = packet_builder{}.eth().ipv6().icmp_echo(1, 2);
  for (std::size_t i = 54; i < 62; ++i) EXPECT_EQ(cut_to(icmp, i), parse_error::icmp_truncated) << i;
  auto const extension = packet_builder{}.eth().ipv6().routing().udp(1, 2);
  for (std::size_t i = 54; i < 78; ++i) EXPECT_EQ(cut_to(extension, i), parse_error::ipv6_extension_truncated) << i;
  for (std::size_t i = 78; i < 86; ++i) EXPECT_EQ(cut_to(extension, i), parse_error::udp_truncated) << i;
}

TEST(parse, names_fields_that_contradict_each_other) {
  auto const good = packet_builder{}.eth().ipv4().tcp(1, 2).payload(6).build();
  auto const broken = [&](std::size_t at, unsigned value) {
    auto packet = good;
    packet[at] = static_cast<std::byte>(value);
    return parse_all(packet).error;
  };
  EXPECT_EQ(broken(14, 0x65), parse_error::ipv4_bad_version);
  for (unsigned words = 0; words < 5; ++words) {
    EXPECT_EQ(broken(14, 0x40 | words), parse_error::ipv4_bad_header_length);
    EXPECT_EQ(broken(46, words << 4), parse_error::tcp_bad_data_offset);
  }
  EXPECT_EQ(broken(46, 0x70), parse_error::tcp_bad_data_offset) << "28 bytes of 26";
  EXPECT_EQ(broken(17, 19), parse_error::ipv4_bad_total_length);
  EXPECT_EQ(broken(17, 47), parse_error::ipv4_longer_than_frame);
  auto packet = packet_builder{}.eth().ipv6().udp(1, 2).build();
  packet[14] = std::byte{0x40};
  EXPECT_EQ(parse_all(packet).error, parse_error::ipv6_bad_version);
}

TEST(parse, gives_up_on_a_chain_of_extension_headers) {
  packet_builder builder;
  builder.eth().ipv6();
  for (int i = 0; i < 100; ++i) builder.destination_options();
  EXPECT_EQ(parse_all(builder.udp(1, 2).build()).error, parse_error::ipv6_too_many_extensions);
}

TEST(parse, looks_at_no_more_than_65535_bytes) {
  auto packet = packet_builder{}.eth().ipv4().udp(1, 2).payload(18).build();
  packet.resize(70000);
  EXPECT_EQ(parse_all(packet).end, 60);
  ipv4_view{packet.data() + 14}.set_total_length(65535);
  EXPECT_EQ(parse_all(packet).error, parse_error::ipv4_longer_than_frame);
}

// Every header inside the first piece is found as in the whole packet; the one that the piece cuts is truncated. The
// piece is an allocation of its own, where AddressSanitizer sees a read past it.
TEST(parse, needs_only_the_headers_in_the_first_piece) {
  for (auto const& builder : {packet_builder{}.eth().vlan(5).ipv4().udp(1, 2).payload(1000),
                              packet_builder{}.eth().ipv4().tcp(1, 2).payload(1000),
                              packet_builder{}.eth().ipv6().hop_by_hop().routing().udp(1, 2).payload(1000),
                              packet_builder{}.eth().ipv6().icmp_echo(1, 2).payload(1000)}) {
    auto const whole = builder.build();
    layers const wanted = parse_all(whole);
    ASSERT_EQ(wanted.error, parse_error::none);
    for (std::size_t readable = 0; readable <= whole.size(); ++readable) {
      test::bytes const piece{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(readable)};
      layers const found = parse(piece.data(), readable, whole.size());
      if (readable >= wanted.payload_offset) {
        ASSERT_EQ(found, wanted) << readable;
      } else {
        ASSERT_NE(found.error, parse_error::none) << readable;
      }
    }
  }
}

}  // namespace
}  // namespace packetwarp::wire
