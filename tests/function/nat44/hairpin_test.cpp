// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "function/nat44/nat44_bed.h"

namespace packetwarp::test::nat44_hairpin_tests {
namespace {

// Inside hosts that meet by outside addresses (RFC 4787, REQ-9; RFC 5382, REQ-8; RFC 5508, REQ-7).
TEST(nat44_hairpin, both_hosts_see_outside_endpoints) {
  nat44_bed bed;
  auto opened = coming(inside_too, "10.1.0.2", "192.0.2.9").udp(5000, 53).build();
  ASSERT_EQ(bed.process(opened, inside_too), forwarded(outside));
  expect_translation(bed, inside, coming(inside, "10.0.0.2", "203.0.113.1").udp(4000, 5000).payload(4).build(),
                     inside_too, leaving(inside_too, "203.0.113.1", "10.1.0.2").udp(4000, 5000).payload(4).build());
  expect_translation(bed, inside_too, coming(inside_too, "10.1.0.2", "203.0.113.1").udp(5000, 4000).payload(4).build(),
                     inside, leaving(inside, "203.0.113.1", "10.0.0.2").udp(5000, 4000).payload(4).build());
}

TEST(nat44_hairpin, goes_back_by_the_interface_it_came_in_by_and_over_tcp) {
  nat44_bed bed;
  auto opened = coming(inside, "10.0.0.3", "192.0.2.9").tcp(5000, 80).build();
  ASSERT_EQ(bed.process(opened, inside), forwarded(outside));
  expect_translation(bed, inside, coming(inside, "10.0.0.2", "203.0.113.1").tcp(4000, 5000).build(), inside,
                     leaving(inside, "203.0.113.1", "10.0.0.3").tcp(4000, 5000).build());
}

TEST(nat44_hairpin, an_error_about_such_a_packet_is_translated_on_both_sides) {
  nat44_bed bed;
  auto opened = coming(inside_too, "10.1.0.2", "192.0.2.9").udp(5000, 53).build();
  ASSERT_EQ(bed.process(opened, inside_too), forwarded(outside));
  auto sent = coming(inside, "10.0.0.2", "203.0.113.1").udp(4000, 5000).build();
  ASSERT_EQ(bed.process(sent, inside), forwarded(inside_too));
  auto const as_received = packet_builder{}.eth().ipv4("203.0.113.1", "10.1.0.2").udp(4000, 5000).build();
  auto const as_sent = packet_builder{}.eth().ipv4("10.0.0.2", "203.0.113.1").udp(4000, 5000).build();
  expect_translation(
      bed, inside_too,
      coming(inside_too, "10.1.0.2", "203.0.113.1").protocol(1).payload(error_message(3, 3, as_received, 28)).build(),
      inside, leaving(inside, "203.0.113.1", "10.0.0.2").protocol(1).payload(error_message(3, 3, as_sent, 28)).build());
}

// An echo reply is a request with another type; the checksum's first word changes with it.
bytes as_reply(bytes packet) {
  packet[34] = std::byte{0};
  unsigned sum = (static_cast<unsigned>(packet[36]) << 8 | static_cast<unsigned>(packet[37])) + 0x0800;
  sum = (sum & 0xffff) + (sum >> 16);
  packet[36] = static_cast<std::byte>(sum >> 8);
  packet[37] = static_cast<std::byte>(sum & 0xff);
  return packet;
}

// A query has one identifier, and its answer comes back by it: it is the asking host's outside one.
TEST(nat44_hairpin, a_query_has_the_identifier_of_who_asks_and_its_answer_comes_back) {
  nat44_bed bed;
  auto const send = [&](interface_index by, std::string_view host, std::string_view to, unsigned identifier) {
    auto packet = coming(by, host, to).icmp_echo(identifier, 1).build();
    EXPECT_EQ(bed.process(packet, by).what(), verdict::action::forward);
    return static_cast<unsigned>(packet[38]) << 8 | static_cast<unsigned>(packet[39]);
  };
  ASSERT_EQ(send(inside, "10.0.0.3", "192.0.2.9", 7000), 7000u);
  auto const theirs = send(inside_too, "10.1.0.2", "192.0.2.9", 7000);
  ASSERT_NE(theirs, 7000u);
  auto const seen = send(inside, "10.0.0.2", "203.0.113.1", theirs);
  auto const outside_of_asker = nat::find_inside(
      bed.nat().cpu(), key_of(nat::transport::icmp, at("10.0.0.2", static_cast<std::uint16_t>(theirs))));
  EXPECT_EQ(seen, nat::endpoint_of(outside_of_asker.held.outside).port);
  expect_translation(
      bed, inside_too, as_reply(coming(inside_too, "10.1.0.2", "203.0.113.1").icmp_echo(seen, 1).payload(8).build()),
      inside, as_reply(leaving(inside, "203.0.113.1", "10.0.0.2").icmp_echo(theirs, 1).payload(8).build()));
}

class nat44_filtered_hairpin : public testing::TestWithParam<nat::filtering> {
 protected:
  static nat44_config config() {
    auto made = small_nat();
    made.filtering = GetParam();
    made.port_forwards = {
        {.kind = nat::transport::udp, .inside = at("10.1.0.2", 80), .outside = at("203.0.113.1", 8080)}};
    return made;
  }
  nat44_bed bed_{config()};
};

// A filter remembers the outside endpoints that its host has sent to, also those of inside hosts.
TEST_P(nat44_filtered_hairpin, lets_the_answers_of_a_forwarded_port_in) {
  expect_translation(bed_, inside, coming(inside, "10.0.0.2", "203.0.113.1").udp(4000, 8080).payload(4).build(),
                     inside_too, leaving(inside_too, "203.0.113.1", "10.1.0.2").udp(4000, 80).payload(4).build());
  expect_translation(bed_, inside_too, coming(inside_too, "10.1.0.2", "203.0.113.1").udp(80, 4000).payload(4).build(),
                     inside, leaving(inside, "203.0.113.1", "10.0.0.2").udp(8080, 4000).payload(4).build());
}

TEST_P(nat44_filtered_hairpin, lets_two_hosts_meet_that_send_to_each_other) {
  auto opened = coming(inside_too, "10.1.0.2", "192.0.2.9").udp(5000, 53).build();
  ASSERT_EQ(bed_.process(opened, inside_too), forwarded(outside));
  auto first = coming(inside, "10.0.0.2", "203.0.113.1").udp(4000, 5000).build();
  EXPECT_EQ(name_of(bed_.process(first, inside)), "filtered");
  expect_translation(bed_, inside_too, coming(inside_too, "10.1.0.2", "203.0.113.1").udp(5000, 4000).payload(4).build(),
                     inside, leaving(inside, "203.0.113.1", "10.0.0.2").udp(5000, 4000).payload(4).build());
  expect_translation(bed_, inside, coming(inside, "10.0.0.2", "203.0.113.1").udp(4000, 5000).payload(4).build(),
                     inside_too, leaving(inside_too, "203.0.113.1", "10.1.0.2").udp(4000, 5000).payload(4).build());
}

TEST_P(nat44_filtered_hairpin, lets_errors_about_such_packets_in) {
  auto sent = coming(inside, "10.0.0.2", "203.0.113.1").udp(4000, 8080).build();
  ASSERT_EQ(bed_.process(sent, inside), forwarded(inside_too));
  auto const as_received = packet_builder{}.eth().ipv4("203.0.113.1", "10.1.0.2").udp(4000, 80).build();
  auto const as_sent = packet_builder{}.eth().ipv4("10.0.0.2", "203.0.113.1").udp(4000, 8080).build();
  expect_translation(
      bed_, inside_too,
      coming(inside_too, "10.1.0.2", "203.0.113.1").protocol(1).payload(error_message(3, 3, as_received, 28)).build(),
      inside, leaving(inside, "203.0.113.1", "10.0.0.2").protocol(1).payload(error_message(3, 3, as_sent, 28)).build());
}

INSTANTIATE_TEST_SUITE_P(filtering, nat44_filtered_hairpin,
                         testing::Values(nat::filtering::address_dependent, nat::filtering::address_and_port_dependent),
                         [](auto const& one) {
                           return one.param == nat::filtering::address_dependent ? "by_address" : "by_address_and_port";
                         });

// With output_feature all hosts are inside.
TEST(nat44_hairpin, with_the_output_feature_both_hosts_see_outside_endpoints) {
  auto config = small_nat();
  config.interfaces = {nat::side::none, nat::side::none, nat::side::outside};
  config.feature = nat::feature::output_feature;
  nat44_bed bed{config};
  auto opened = coming(inside_too, "10.1.0.2", "192.0.2.9").udp(5000, 53).build();
  ASSERT_EQ(bed.process(opened, inside_too), forwarded(outside));
  expect_translation(bed, inside, coming(inside, "10.0.0.2", "203.0.113.1").udp(4000, 5000).payload(4).build(),
                     inside_too, leaving(inside_too, "203.0.113.1", "10.1.0.2").udp(4000, 5000).payload(4).build());
  expect_translation(bed, inside_too, coming(inside_too, "10.1.0.2", "203.0.113.1").udp(5000, 4000).payload(4).build(),
                     inside, leaving(inside, "203.0.113.1", "10.0.0.2").udp(5000, 4000).payload(4).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 5000).build(), inside_too,
                     leaving(inside_too, "192.0.2.9", "10.1.0.2").udp(53, 5000).build());
}

TEST(nat44_hairpin, with_the_output_feature_between_hosts_of_an_outside_interface_too) {
  auto config = small_nat();
  config.interfaces = {nat::side::outside, nat::side::none, nat::side::outside};
  config.feature = nat::feature::output_feature;
  nat44_bed bed{config};
  auto opened = coming(inside, "10.0.0.3", "192.0.2.9").udp(5000, 53).build();
  ASSERT_EQ(bed.process(opened, inside), forwarded(outside));
  expect_translation(bed, inside, coming(inside, "10.0.0.2", "203.0.113.1").udp(4000, 5000).payload(4).build(), inside,
                     leaving(inside, "203.0.113.1", "10.0.0.3").udp(4000, 5000).payload(4).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 5000).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.3").udp(53, 5000).build());
}

}  // namespace
}  // namespace packetwarp::test::nat44_hairpin_tests
