// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "feature/packet_facts.h"

#include <gtest/gtest.h>

#include <vector>

#include "feature/traffic.h"

namespace packetwarp::test::features {
namespace {

using feature::icmp_role;
using feature::transport;
namespace tcp_flag = wire::tcp_flag;

TEST(packet_facts, of_tcp_have_ports_flags_window_and_options) {
  auto const options = to_bytes({2, 4, 5, 180, 1, 1, 1, 0});
  auto const frame =
      packet_builder{}.eth().vlan(5).ipv4("10.0.0.1", "10.0.0.2").tcp(40000, 443, 0x12, options).payload(100).build();
  auto const facts = facts_of(frame);
  EXPECT_EQ(facts.length, 14 + 4 + 20 + 28 + 100);
  EXPECT_EQ(facts.ip_version, 4);
  EXPECT_EQ(facts.source.low, 0x0a000001u);
  EXPECT_EQ(facts.destination.low, 0x0a000002u);
  EXPECT_EQ(facts.kind, transport::tcp);
  EXPECT_EQ(facts.source_port, 40000);
  EXPECT_EQ(facts.destination_port, 443);
  EXPECT_EQ(facts.tcp_flags, tcp_flag::syn | tcp_flag::ack);
  EXPECT_EQ(facts.tcp_options, 8);
  EXPECT_EQ(facts.payload, 100);
  wire::tcp_view const tcp{frame.data() + 14 + 4 + 20};
  EXPECT_EQ(facts.window, tcp.window());
}

TEST(packet_facts, of_udp_over_ipv6_lie_behind_extensions) {
  auto const frame =
      packet_builder{}.eth().ipv6().hop_by_hop().routing().destination_options().udp(53, 1234).payload(7).build();
  auto const facts = facts_of(frame);
  EXPECT_EQ(facts.ip_version, 6);
  EXPECT_EQ(facts.source.high, 0x2001'0db8'0000'0000u);
  EXPECT_EQ(facts.destination.low, 2u);
  EXPECT_EQ(facts.kind, transport::udp);
  EXPECT_EQ(facts.source_port, 53);
  EXPECT_EQ(facts.payload, 7);
  EXPECT_EQ(facts.is_fragment, 0);
}

TEST(packet_facts, do_not_count_padding_as_payload) {
  auto const frame = packet_builder{}.eth().ipv4().udp(1, 2).payload(3).pad_to(60).build();
  EXPECT_EQ(facts_of(frame).length, 60u);
  EXPECT_EQ(facts_of(frame).payload, 3);
}

TEST(packet_facts, of_fragments_have_ports_in_the_first_one_only) {
  auto const first = facts_of(packet_builder{}.eth().ipv4().fragment(0, 1).udp(7, 8).payload(32).build());
  EXPECT_EQ(first.is_fragment, 1);
  EXPECT_EQ(first.has_ports, 1);
  auto const later = facts_of(packet_builder{}.eth().ipv4().fragment(40, 0).protocol(17).payload(32).build());
  EXPECT_EQ(later.is_fragment, 1);
  EXPECT_EQ(later.kind, transport::udp);
  EXPECT_EQ(later.has_ports, 0);
  EXPECT_EQ(later.payload, 32);
  EXPECT_FALSE(asks(later));
}

TEST(packet_facts, of_another_network_protocol_are_its_length) {
  auto const facts = facts_of(packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").pad_to(60).build());
  EXPECT_EQ(facts.ip_version, 0);
  EXPECT_EQ(facts.length, 60u);
}

TEST(packet_facts, of_a_malformed_transport_header_are_those_of_ip) {
  auto frame = tcp_frame("10.0.0.1", "10.0.0.2", 1, 2, tcp_flag::syn);
  frame[14 + 20 + 12] = std::byte{0x40};  // a data offset of 16 bytes
  auto const facts = facts_of(frame);
  EXPECT_EQ(facts.ip_version, 4);
  EXPECT_EQ(facts.kind, transport::tcp);
  EXPECT_EQ(facts.has_ports, 0);
  EXPECT_EQ(facts.tcp_flags, 0);
  EXPECT_FALSE(asks(facts));
}

// Each truncation lies in memory of its own, so that ASan sees a read beyond it.
TEST(packet_facts, come_from_contiguous_bytes_alone) {
  std::vector<bytes> const frames{
      packet_builder{}.eth().service_vlan(1).vlan(2).ipv4().tcp(1, 2, 2, to_bytes({1, 1, 1, 0})).payload(9).build(),
      packet_builder{}.eth().ipv6().hop_by_hop().fragment6(0, 1).udp(1, 2).payload(33).build(),
      packet_builder{}.eth().ipv6().icmp_echo(1, 2).payload(9).build()};
  for (auto const& frame : frames) {
    auto const length = static_cast<std::uint32_t>(frame.size());
    auto const whole = facts_of(frame);
    for (std::uint32_t contiguous = 0; contiguous <= length; ++contiguous) {
      bytes const piece{frame.begin(), frame.begin() + contiguous};
      auto const facts = feature::facts_of(piece.data(), contiguous, length);
      EXPECT_EQ(facts.length, length);
      if (facts.has_ports != 0 || facts.role != icmp_role::none) {
        EXPECT_EQ(facts.payload, whole.payload) << contiguous;
      }
    }
  }
}

TEST(packet_facts, say_which_packets_ask) {
  auto const tcp = [](unsigned flags) { return facts_of(tcp_frame("10.0.0.1", "10.0.0.2", 40000, 80, flags)); };
  EXPECT_TRUE(asks(tcp(tcp_flag::syn)));
  EXPECT_TRUE(asks(tcp(tcp_flag::fin)));  // a scan
  EXPECT_TRUE(asks(tcp(0)));              // another one
  EXPECT_FALSE(asks(tcp(tcp_flag::syn | tcp_flag::ack)));
  EXPECT_FALSE(asks(tcp(tcp_flag::rst)));
  EXPECT_TRUE(asks(udp_facts(1, 2, 40000, 53)));
  EXPECT_TRUE(asks(udp_facts(1, 2, 123, 123)));
  EXPECT_FALSE(asks(udp_facts(1, 2, 53, 40000)));
  auto echo = packet_builder{}.eth().ipv4().icmp_echo(1, 2).build();
  EXPECT_TRUE(asks(facts_of(echo)));
  echo[14 + 20] = std::byte{0};  // a reply
  EXPECT_FALSE(asks(facts_of(echo)));
  EXPECT_TRUE(asks(facts_of(packet_builder{}.eth().ipv4().protocol(47).payload(20).build())));
}

TEST(packet_facts, know_icmp_errors) {
  auto const role = [](bytes frame, std::size_t at, unsigned type) {
    frame[at] = std::byte{static_cast<unsigned char>(type)};
    return facts_of(frame).role;
  };
  auto const over_ipv4 = packet_builder{}.eth().ipv4().icmp_echo(1, 2).payload(8).build();
  auto const over_ipv6 = packet_builder{}.eth().ipv6().icmp_echo(1, 2).payload(8).build();
  for (unsigned const type : {3U, 11U, 12U}) EXPECT_EQ(role(over_ipv4, 34, type), icmp_role::error) << type;
  for (unsigned const type : {0U, 4U, 5U, 13U}) EXPECT_EQ(role(over_ipv4, 34, type), icmp_role::none) << type;
  for (unsigned const type : {1U, 2U, 3U, 4U}) EXPECT_EQ(role(over_ipv6, 54, type), icmp_role::error) << type;
  EXPECT_EQ(role(over_ipv6, 54, 128), icmp_role::request);
  EXPECT_EQ(role(over_ipv6, 54, 129), icmp_role::none);
}

}  // namespace
}  // namespace packetwarp::test::features
