// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fixtures/played_gpu.h"
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

// A run that drains: NAT44 makes no session, and translates packets of all sessions that exist.
[[nodiscard]] bytes from_host(unsigned port) {
  return coming(inside, "10.0.0.2", "192.0.2.9").udp(port, 53).payload(4).build();
}

TEST(nat44_draining, drops_what_needs_a_session_by_name_and_goes_on_with_the_others) {
  auto config = small_nat();
  config.port_forwards = {{nat::transport::udp, at("10.0.0.3", 80), at("203.0.113.1", 8080)}};
  config.static_addresses = {{ipv4("10.0.0.4"), ipv4("203.0.113.4")}};
  nat44_bed bed{config};
  open_answered(bed, from_host(4000));
  auto const before = bed.sessions();
  bed.nat().refuse_new_sessions();
  for (int n = 0; n < 3; ++n) {
    expect_refusal(bed, inside, from_host(4001), "draining");
    expect_refusal(bed, inside, coming(inside, "10.0.0.3", "192.0.2.9").tcp(4000, 80, 2).build(), "draining");
    // A session of one host makes none for another that it sends to.
    expect_refusal(bed, inside, coming(inside, "10.0.0.3", "203.0.113.1").udp(4000, 4000).build(), "draining");
  }
  expect_translation(bed, inside, from_host(4000), outside,
                     leaving(outside, "203.0.113.1", "192.0.2.9").udp(4000, 53).payload(4).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 4000).payload(4).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.2").udp(53, 4000).payload(4).build());
  expect_translation(bed, outside, coming(outside, "192.0.2.9", "203.0.113.1").udp(53, 8080).payload(4).build(), inside,
                     leaving(inside, "192.0.2.9", "10.0.0.3").udp(53, 80).payload(4).build());
  expect_translation(bed, inside, coming(inside, "10.0.0.4", "192.0.2.9").udp(9, 53).payload(4).build(), outside,
                     leaving(outside, "203.0.113.4", "192.0.2.9").udp(9, 53).payload(4).build());
  EXPECT_EQ(bed.sessions(), before);
}

TEST(nat44_draining, goes_on_over_a_change_that_was_planned_before) {
  nat44_bed bed;
  auto wanted = small_nat();
  wanted.timeouts.udp = 7;
  auto planned = bed.nat().plan_change(wanted);
  bed.nat().refuse_new_sessions();
  bed.nat().prepare(planned);
  bed.nat().publish(std::move(planned));
  EXPECT_EQ(bed.nat().config().timeouts.udp, 7U);
  expect_refusal(bed, inside, from_host(4000), "draining");
  auto later = bed.nat().plan_change(small_nat());
  bed.nat().prepare(later);
  bed.nat().publish(std::move(later));
  expect_refusal(bed, inside, from_host(4000), "draining");
}

// The host's tables follow those of a GPU, and take over when it is lost.
TEST(nat44_draining, holds_for_a_gpus_tables_and_for_the_hosts_when_it_is_lost) {
  played_domain gpu;
  router_table routes{{}, {.ipv4_groups = 64, .ipv6_groups = 16, .next_hops = 64, .hosts = 64}};
  nat44_bed::set_up(routes);
  nat44_table nat{small_nat(), {0, &gpu.domain}};
  nat.tick(0);
  auto const send = [&](nat44_ref const& tables, unsigned port) {
    auto packet = from_host(port);
    return routed_nat44::process(nat44_bed::view_of(packet), routed_nat44::ref{tables, routes.cpu(inside)});
  };
  ASSERT_EQ(send(nat.gpu(), 4000), forwarded(outside));
  nat.maintain();
  nat.refuse_new_sessions();
  EXPECT_EQ(send(nat.gpu(), 4000), forwarded(outside));
  EXPECT_EQ(name_of(send(nat.gpu(), 4001)), "draining");
  nat.gpu_failed();
  EXPECT_EQ(send(nat.cpu(), 4000), forwarded(outside));
  EXPECT_EQ(name_of(send(nat.cpu(), 4001)), "draining");
}

}  // namespace
}  // namespace packetwarp::test::nat44_limits_tests
