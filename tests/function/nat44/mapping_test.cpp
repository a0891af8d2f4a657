// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "function/nat44/nat44_bed.h"

namespace packetwarp::test::nat44_mapping_tests {
namespace {

bytes udp_out(std::string_view host, unsigned port, std::string_view to = "192.0.2.9", unsigned to_port = 53) {
  return coming(inside, host, to).udp(port, to_port).payload(18).build();
}

TEST(nat44_mapping, udp_leaves_with_an_outside_address_and_its_own_port_and_the_answer_comes_back) {
  nat44_bed bed;
  expect_translation(bed, inside, udp_out("10.0.0.2", 4000), outside,
                     leaving(outside, "203.0.113.1", "192.0.2.9").udp(4000, 53).payload(18).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4000).payload(7).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.2").udp(53, 4000).payload(7).build());
  EXPECT_EQ(bed.sessions(), std::vector<std::string>{"udp 10.0.0.2:4000 203.0.113.1:4000"});
}

TEST(nat44_mapping, tcp_leaves_with_an_outside_address_and_the_answer_comes_back) {
  nat44_bed bed;
  expect_translation(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").tcp(4001, 80).build(), outside,
                     leaving(outside, "203.0.113.1", "192.0.2.9").tcp(4001, 80).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").tcp(80, 4001, 0x12).payload(9).build(),
                     inside, leaving(inside, "192.0.2.9", "10.0.0.2").tcp(80, 4001, 0x12).payload(9).build());
}

TEST(nat44_mapping, udp_without_a_checksum_stays_without) {
  nat44_bed bed;
  expect_translation(bed, inside,
                     coming(inside, "10.0.0.2", "192.0.2.9").udp(4000, 53).no_checksum().payload(3).build(), outside,
                     leaving(outside, "203.0.113.1", "192.0.2.9").udp(4000, 53).no_checksum().payload(3).build());
}

TEST(nat44_mapping, options_of_the_ip_header_stay) {
  nat44_bed bed;
  auto const options = to_bytes({1, 1, 1, 0});
  expect_translation(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").options(options).udp(4000, 53).build(),
                     outside, leaving(outside, "203.0.113.1", "192.0.2.9").options(options).udp(4000, 53).build());
}

TEST(nat44_mapping, one_inside_endpoint_has_one_outside_endpoint_whomever_it_sends_to) {
  nat44_bed bed;
  for (auto const* to : {"192.0.2.9", "192.0.2.10", "198.18.0.1"}) {
    auto packet = udp_out("10.0.0.2", 4000, to, 1234);
    ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
  }
  EXPECT_EQ(bed.sessions().size(), 1u);
  // Any host may answer.
  expect_translation(bed, outside, coming(outside, "198.18.99.1", "203.0.113.1").udp(9, 4000).build(), inside,
                     leaving(inside, "198.18.99.1", "10.0.0.2").udp(9, 4000).build());
}

TEST(nat44_mapping, a_port_that_is_taken_goes_to_nobody_else_and_the_new_one_is_as_even_or_odd) {
  nat44_bed bed;
  for (unsigned port : {4000u, 4001u}) {
    for (auto const* host : {"10.0.0.2", "10.0.0.3", "10.0.0.4"}) {
      auto packet = udp_out(host, port);
      ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
      unsigned const mapped = static_cast<unsigned>(packet[34]) << 8 | static_cast<unsigned>(packet[35]);
      EXPECT_EQ(mapped % 2, port % 2);
      EXPECT_GE(mapped, 1024u);
    }
  }
  std::vector<std::string> outsides;
  for (auto const& one : bed.sessions()) outsides.push_back(one.substr(one.rfind(':')));
  std::ranges::sort(outsides);
  EXPECT_EQ(outsides.size(), 6u);
  EXPECT_EQ(std::ranges::adjacent_find(outsides), outsides.end());
}

TEST(nat44_mapping, a_low_port_is_kept_only_where_the_range_has_it) {
  nat44_bed bed;
  auto packet = udp_out("10.0.0.2", 123);
  ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
  EXPECT_GE(static_cast<unsigned>(packet[34]) << 8 | static_cast<unsigned>(packet[35]), 1024u);
  auto config = small_nat();
  config.first_port = 1;
  nat44_bed wide{config};
  packet = udp_out("10.0.0.2", 123);
  ASSERT_EQ(wide.process(packet, inside), forwarded(outside));
  EXPECT_EQ(wide.sessions(), std::vector<std::string>{"udp 10.0.0.2:123 203.0.113.1:123"});
}

TEST(nat44_mapping, the_same_port_of_udp_tcp_and_icmp_are_three) {
  nat44_bed bed;
  auto udp = udp_out("10.0.0.2", 4000);
  auto tcp = coming(inside, "10.0.0.3", "192.0.2.9").tcp(4000, 80).build();
  auto icmp = coming(inside, "10.0.0.4", "192.0.2.9").icmp_echo(4000, 1).build();
  for (auto* packet : {&udp, &tcp, &icmp}) ASSERT_EQ(bed.process(*packet, inside), forwarded(outside));
  EXPECT_EQ(bed.sessions(),
            (std::vector<std::string>{"icmp 10.0.0.4:4000 203.0.113.1:4000", "tcp 10.0.0.3:4000 203.0.113.1:4000",
                                      "udp 10.0.0.2:4000 203.0.113.1:4000"}));
}

TEST(nat44_mapping, a_host_has_one_outside_address_however_many_there_are) {
  auto config = small_nat();
  config.pool = {{ipv4("203.0.113.1"), ipv4("203.0.113.9")}, {ipv4("203.0.113.20"), ipv4("203.0.113.29")}};
  nat44_bed bed{config};
  std::vector<std::string> addresses;
  for (unsigned port = 5000; port < 5050; ++port) {
    auto packet = udp_out("10.0.0.2", port);
    ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
    addresses.push_back(to_hex(std::span{packet}.subspan(26, 4)));
  }
  EXPECT_EQ(std::ranges::count(addresses, addresses.front()), 50);
}

TEST(nat44_mapping, what_does_not_leave_by_an_outside_interface_is_routed_as_it_is) {
  nat44_bed bed;
  expect_translation(bed, inside, coming(inside, "10.0.0.2", "10.1.0.2").udp(1, 2).build(), inside_too,
                     leaving(inside_too, "10.0.0.2", "10.1.0.2").udp(1, 2).build());
  EXPECT_TRUE(bed.sessions().empty());
}

TEST(nat44_mapping, a_packet_that_is_punted_is_as_it_was_and_makes_no_session) {
  nat44_bed bed;
  expect_refusal(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").ttl(1).udp(4000, 53).build(), "ttl_exceeded");
  expect_refusal(bed, inside, coming(inside, "10.0.0.2", "198.51.100.77").udp(4000, 53).build(), "neighbour_unknown");
  expect_refusal(bed, inside,
                 coming(inside, "10.0.0.2", "192.0.2.9").udp(4000, 53).fragment(0, 2).payload(1600).build(), "too_big");
  expect_refusal(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").fragment(0, 1).udp(4000, 53).build(), "fragment");
  expect_refusal(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").fragment(64, 0).protocol(17).payload(8).build(),
                 "fragment");
  EXPECT_TRUE(bed.sessions().empty());
  expect_refusal(bed, outside,
                 coming(outside, "192.0.2.9", "203.0.113.1").fragment(64, 0).protocol(17).payload(8).build(),
                 "fragment");
}

TEST(nat44_mapping, what_has_no_port_is_dropped_by_name) {
  nat44_bed bed;
  expect_refusal(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").protocol(47).payload(8).build(), "protocol");
  expect_refusal(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").protocol(17).payload(7).build(),
                 "transport_truncated");
  expect_refusal(bed, inside, coming(inside, "10.0.0.2", "192.0.2.9").protocol(6).payload(19).build(),
                 "transport_truncated");
  EXPECT_TRUE(bed.sessions().empty());
}

TEST(nat44_mapping, an_address_for_one_egress_is_that_egress_s_alone) {
  auto config = small_nat();
  config.interfaces = {nat::side::outside, nat::side::none, nat::side::outside};
  config.feature = nat::feature::output_feature;
  auto const by = [](interface_index egress) { return static_cast<std::uint32_t>(egress); };
  config.pool = {{ipv4("203.0.113.1"), ipv4("203.0.113.9"), by(inside)},
                 {ipv4("203.0.113.20"), ipv4("203.0.113.20"), by(outside)}};
  nat44_bed bed{config};
  expect_translation(bed, inside, udp_out("10.0.0.2", 4000), outside,
                     leaving(outside, "203.0.113.20", "192.0.2.9").udp(4000, 53).payload(18).build());
  config.interfaces[2] = nat::side::none;
  EXPECT_THROW(nat44_bed{config}, usage_error);
}

TEST(nat44_mapping, what_belongs_to_no_session_is_dropped_or_with_forwarding_routed) {
  nat44_bed bed;
  auto const to_pool = coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4000).build();
  auto const to_inside = coming(outside, "192.0.2.9", "10.0.0.2").udp(53, 4000).build();
  expect_refusal(bed, outside, to_pool, "no_session");
  expect_refusal(bed, outside, to_inside, "no_session");
  auto config = small_nat();
  config.unmatched = nat::unmatched::forward;
  nat44_bed forwarding{config};
  expect_translation(forwarding, outside, to_inside, inside,
                     leaving(inside, "192.0.2.9", "10.0.0.2").udp(53, 4000).build());
}

TEST(nat44_mapping, the_routers_own_address_can_be_the_outside_address_and_still_answers) {
  auto config = small_nat();
  config.pool = {{ipv4("198.51.100.1"), ipv4("198.51.100.1")}};
  nat44_bed bed{config};
  expect_translation(bed, inside, udp_out("10.0.0.2", 4000), outside,
                     leaving(outside, "198.51.100.1", "192.0.2.9").udp(4000, 53).payload(18).build());
  auto echo = coming(outside, "192.0.2.9", "198.51.100.1").icmp_echo(77, 1).payload(8).build();
  EXPECT_EQ(bed.process(echo, outside), forwarded(outside));
  expect_refusal(bed, outside, coming(outside, "192.0.2.9", "198.51.100.1").udp(53, 9999).build(), "to_kernel");
}

TEST(nat44_mapping, with_the_output_feature_what_comes_from_neither_side_is_translated_too) {
  auto config = small_nat();
  config.interfaces = {nat::side::none, nat::side::none, nat::side::outside};
  nat44_bed plain{config};
  expect_translation(plain, inside, udp_out("10.0.0.2", 4000), outside,
                     leaving(outside, "10.0.0.2", "192.0.2.9").udp(4000, 53).payload(18).build());
  config.feature = nat::feature::output_feature;
  nat44_bed bed{config};
  expect_translation(bed, inside, udp_out("10.0.0.2", 4000), outside,
                     leaving(outside, "203.0.113.1", "192.0.2.9").udp(4000, 53).payload(18).build());
}

// The control plane's questions about punted packets.
TEST(nat44_mapping, tells_where_a_packet_will_go_to_without_using_its_session) {
  nat44_bed bed;
  auto out = udp_out("10.0.0.2", 4000);
  ASSERT_EQ(bed.process(out, inside), forwarded(outside));
  auto const destination = [&bed](bytes packet) {
    auto const size = static_cast<std::uint32_t>(packet.size());
    return wire::to_text(nat::destination_of({packet.data(), size, size}, bed.nat().cpu()));
  };
  EXPECT_EQ(destination(coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4000).build()), "10.0.0.2");
  EXPECT_EQ(destination(coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4001).build()), "203.0.113.1");
  EXPECT_EQ(destination(coming(outside, "192.0.2.9", "198.51.100.7").udp(53, 4001).build()), "198.51.100.7");
}

TEST(nat44_mapping, what_needs_fragmentation_is_translated_before) {
  nat44_bed bed;
  auto packet = coming(inside, "10.0.0.2", "192.0.2.9").udp(4000, 53).payload(2000).build();
  for (int time = 0; time < 2; ++time) {
    auto after = packet;
    EXPECT_EQ(name_of(bed.process(after, inside)), "needs_fragmentation");
    EXPECT_EQ(to_hex(after), to_hex(leaving(outside, "203.0.113.1", "192.0.2.9").udp(4000, 53).payload(2000).build()));
  }
  auto answer = coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4000).payload(2000).build();
  EXPECT_EQ(name_of(bed.process(answer, outside)), "needs_fragmentation");
  EXPECT_EQ(to_hex(answer), to_hex(leaving(inside, "192.0.2.9", "10.0.0.2").udp(53, 4000).payload(2000).build()));
  EXPECT_EQ(bed.sessions().size(), 1U);
}

}  // namespace
}  // namespace packetwarp::test::nat44_mapping_tests
