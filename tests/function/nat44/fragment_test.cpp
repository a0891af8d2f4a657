// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "function/nat44/nat44_bed.h"

namespace packetwarp::test::nat44_fragment_tests {
namespace {

constexpr std::string_view server = "192.0.2.9";
constexpr std::string_view pool = "203.0.113.1";

// The first fragment of a datagram to an outside address, before its transport header is put in.
packet_builder first(std::string_view to = pool, std::string_view from = server) {
  return coming(outside, from, to).fragment(0, 1);
}
bytes later(unsigned protocol, std::string_view to = pool) {
  return coming(outside, server, to).fragment(64, 0).protocol(protocol).payload(8).build();
}
void make_session(nat44_bed& bed) {
  auto packet = coming(inside, "10.0.0.2", server).udp(4000, 53).build();
  ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
}

TEST(nat44_fragments, a_first_one_without_a_session_is_dropped_and_takes_no_memory) {
  nat44_bed bed;
  expect_refusal(bed, outside, first().udp(53, 4000).build(), "no_session");
  expect_refusal(bed, outside, first().tcp(53, 4000).build(), "no_session");
  expect_refusal(bed, outside, first().protocol(6).payload(8).build(), "no_session");
  expect_refusal(bed, outside, first().icmp_echo(4000, 1).build(), "no_session");
  EXPECT_TRUE(bed.sessions().empty());
}

TEST(nat44_fragments, a_first_one_of_a_session_is_held_for_its_datagram) {
  nat44_bed bed;
  make_session(bed);
  expect_refusal(bed, outside, first().udp(53, 4000).build(), "fragment");
  expect_refusal(bed, outside, first().udp(53, 4001).build(), "no_session");
  expect_refusal(bed, outside, first().tcp(53, 4000).build(), "no_session");
}

TEST(nat44_fragments, a_first_one_holds_no_more_than_the_ports_of_tcp) {
  nat44_bed bed;
  auto packet = coming(inside, "10.0.0.2", server).tcp(258, 80).build();
  ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
  ASSERT_EQ(bed.sessions().size(), 1u);
  auto const given = static_cast<unsigned>(packet[34]) << 8 | static_cast<unsigned>(packet[35]);
  auto const header = to_bytes({0, 80, given >> 8, given & 0xff, 0, 0, 0, 1});
  expect_refusal(bed, outside, first().protocol(6).payload(header).build(), "fragment");
}

TEST(nat44_fragments, a_session_that_is_closed_to_the_sender_holds_none_of_its) {
  auto config = small_nat();
  config.filtering = nat::filtering::address_dependent;
  nat44_bed bed{config};
  make_session(bed);
  expect_refusal(bed, outside, first().udp(53, 4000).build(), "fragment");
  expect_refusal(bed, outside, first(pool, "192.0.2.10").udp(53, 4000).build(), "filtered");
}

TEST(nat44_fragments, port_forwards_and_static_addresses_let_theirs_in) {
  auto config = small_nat();
  config.port_forwards = {{nat::transport::udp, at("10.0.0.2", 53), at(pool, 53)}};
  config.static_addresses = {{ipv4("10.0.0.3"), ipv4("203.0.113.33")}};
  nat44_bed bed{config};
  expect_refusal(bed, outside, first().udp(7, 53).build(), "fragment");
  expect_refusal(bed, outside, first().tcp(7, 53).build(), "no_session");
  expect_refusal(bed, outside, first("203.0.113.33").tcp(7, 53).build(), "fragment");
  expect_refusal(bed, outside, first("203.0.113.33").protocol(47).payload(8).build(), "fragment");
  expect_refusal(bed, outside, later(47, "203.0.113.33"), "fragment");
}

TEST(nat44_fragments, an_icmp_error_is_held_where_it_is_about_a_session) {
  nat44_bed bed;
  make_session(bed);
  auto const sent = leaving(outside, pool, server).udp(4000, 53).payload(20).build();
  expect_refusal(bed, outside, first().protocol(1).payload(error_message(3, 1, sent, 48)).build(), "fragment");
  auto const other = leaving(outside, pool, server).udp(4001, 53).payload(20).build();
  expect_refusal(bed, outside, first().protocol(1).payload(error_message(3, 1, other, 48)).build(), "no_session");
  expect_refusal(bed, outside, first().protocol(1).payload(error_message(3, 1, sent, 24)).build(), "bad_icmp_error");
  expect_refusal(bed, outside, first().protocol(1).payload(to_bytes({9, 0, 0, 0, 0, 0, 0, 0})).build(), "icmp_type");
}

TEST(nat44_fragments, a_later_one_is_held_only_of_what_has_ports) {
  nat44_bed bed;
  for (unsigned const protocol : {1u, 6u, 17u}) expect_refusal(bed, outside, later(protocol), "fragment");
  expect_refusal(bed, outside, later(47), "protocol");
  expect_refusal(bed, outside, first().protocol(47).payload(8).build(), "protocol");
}

TEST(nat44_fragments, a_first_one_without_a_transport_header_is_dropped) {
  nat44_bed bed;
  make_session(bed);
  expect_refusal(bed, outside, first().protocol(17).payload(4).build(), "transport_truncated");
}

// Large echo requests to the router, say: they are answered as one.
TEST(nat44_fragments, what_is_for_the_router_itself_is_held) {
  auto config = small_nat();
  config.pool = {{ipv4("198.51.100.1"), ipv4("198.51.100.1")}};
  nat44_bed bed{config};
  expect_refusal(bed, outside, first("198.51.100.1").icmp_echo(7, 1).build(), "fragment");
  expect_refusal(bed, outside, later(1, "198.51.100.1"), "fragment");
}

TEST(nat44_fragments, to_an_outside_address_are_not_routed_where_nothing_matches) {
  auto config = small_nat();
  config.unmatched = nat::unmatched::forward;
  nat44_bed bed{config};
  expect_refusal(bed, outside, first().udp(53, 4000).build(), "no_session");
  expect_refusal(bed, outside, first().protocol(47).payload(8).build(), "protocol");
}

TEST(nat44_fragments, between_hosts_inside_the_outside_address_decides_too) {
  nat44_bed bed;
  make_session(bed);
  expect_refusal(bed, inside, coming(inside, "10.0.0.3", pool).fragment(0, 1).udp(9, 4000).build(), "fragment");
  expect_refusal(bed, inside, coming(inside, "10.0.0.3", pool).fragment(0, 1).udp(9, 4001).build(), "no_session");
}

}  // namespace
}  // namespace packetwarp::test::nat44_fragment_tests
