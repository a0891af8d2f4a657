// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "function/nat44/nat44_bed.h"

namespace packetwarp::test::nat44_limits_tests {
namespace {

bytes udp_out(std::string_view host, unsigned port) { return coming(inside, host, "192.0.2.9").udp(port, 53).build(); }

TEST(nat44_limits, every_port_is_used_then_packets_are_dropped_by_name_until_sessions_age) {
  auto config = small_nat();
  config.first_port = 5000;
  config.last_port = 5099;
  nat44_bed bed{config};
  for (unsigned port = 1; port <= 100; ++port) {
    open_answered(bed, udp_out("10.0.0.2", port));
  }
  expect_refusal(bed, inside, udp_out("10.0.0.3", 1), "no_port");
  EXPECT_EQ(bed.sessions().size(), 100u);
  // TCP has ports of its own.
  auto tcp = coming(inside, "10.0.0.3", "192.0.2.9").tcp(1, 53).build();
  EXPECT_EQ(bed.process(tcp, inside), forwarded(outside));
  for (std::uint32_t now : {301u, 304u}) {
    bed.nat().tick(now);
    bed.nat().maintain();
  }
  auto packet = udp_out("10.0.0.3", 1);
  EXPECT_EQ(bed.process(packet, inside), forwarded(outside));
}

TEST(nat44_limits, arbitrary_pooling_goes_on_to_other_addresses) {
  auto config = small_nat();
  config.pool = {{ipv4("203.0.113.1"), ipv4("203.0.113.3")}};
  config.first_port = 5000;
  config.last_port = 5009;
  config.pooling = nat::pooling::arbitrary;
  nat44_bed bed{config};
  for (unsigned port = 1; port <= 30; ++port) {
    open_answered(bed, udp_out("10.0.0.2", port));
  }
  expect_refusal(bed, inside, udp_out("10.0.0.2", 31), "no_port");
}

TEST(nat44_limits, a_full_table_drops_by_name_and_goes_on_with_the_sessions_it_has) {
  auto config = small_nat();
  config.sessions = 50;
  nat44_bed bed{config};
  for (unsigned port = 2001; port <= 2050; ++port) {
    open_answered(bed, udp_out("10.0.0.2", port));
  }
  expect_refusal(bed, inside, udp_out("10.0.0.2", 2051), "table_full");
  auto old = udp_out("10.0.0.2", 2001);
  EXPECT_EQ(bed.process(old, inside), forwarded(outside));
}

TEST(nat44_limits, a_host_has_no_more_sessions_than_it_may_and_others_are_not_its_concern) {
  auto config = small_nat();
  config.per_host = 3;
  config.hosts = 16;
  nat44_bed bed{config};
  for (unsigned port = 2001; port <= 2003; ++port) {
    auto packet = udp_out("10.0.0.2", port);
    ASSERT_EQ(bed.process(packet, inside), forwarded(outside));
  }
  expect_refusal(bed, inside, udp_out("10.0.0.2", 2004), "host_limit");
  auto other = udp_out("10.0.0.3", 2004);
  EXPECT_EQ(bed.process(other, inside), forwarded(outside));
  for (std::uint32_t now : {301u, 304u}) {
    bed.nat().tick(now);
    bed.nat().maintain();
  }
  auto packet = udp_out("10.0.0.2", 2004);
  EXPECT_EQ(bed.process(packet, inside), forwarded(outside));
}

}  // namespace
}  // namespace packetwarp::test::nat44_limits_tests
