// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "function/nat44/nat44_bed.h"

namespace packetwarp::test::nat44_martian_tests {
namespace {

TEST(nat44_martian, a_broadcast_address_of_an_own_prefix_sends_nothing_from_either_side) {
  nat44_bed bed;
  for (auto const* from : {"10.0.0.255", "10.1.0.255", "198.51.100.255"}) {
    expect_refusal(bed, inside, coming(inside, from, "192.0.2.9").udp(1, 53).build(), "martian_source");
    expect_refusal(bed, outside, coming(outside, from, "203.0.113.1").udp(53, 1).build(), "martian_source");
    expect_refusal(bed, inside, coming(inside, from, "203.0.113.1").udp(53, 1).build(), "martian_source");
  }
  EXPECT_TRUE(bed.sessions().empty());
}

TEST(nat44_martian, nor_does_it_send_into_a_session) {
  nat44_bed bed;
  open_answered(bed, coming(inside, "10.0.0.2", "192.0.2.9").udp(1000, 53).build());
  expect_refusal(bed, outside, coming(outside, "198.51.100.255", "203.0.113.1").udp(53, 1000).build(),
                 "martian_source");
}

TEST(nat44_martian, a_source_route_is_dropped_on_either_side_unless_it_is_to_pass) {
  auto const loose = to_bytes({131, 7, 4, 192, 0, 2, 7, 0});
  nat44_bed bed;
  auto const out = coming(inside, "10.0.0.2", "192.0.2.9").options(loose).udp(1, 53).build();
  expect_refusal(bed, inside, out, "source_routed");
  expect_refusal(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").options(loose).udp(53, 1).build(),
                 "source_routed");
  EXPECT_TRUE(bed.sessions().empty());
  bed.routes().set_source_routes(source_routes::pass);
  auto packet = out;
  EXPECT_EQ(bed.process(packet, inside), forwarded(outside));
}

}  // namespace
}  // namespace packetwarp::test::nat44_martian_tests
