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

}  // namespace
}  // namespace packetwarp::test::nat44_hairpin_tests
