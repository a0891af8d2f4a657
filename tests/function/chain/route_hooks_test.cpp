// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "function/chain/chain_bed.h"
#include "function/switched.h"

namespace packetwarp::test {
namespace {

// The verdict of F on a packet, and the name of its drop reason.
template <class F>
struct asked {
  verdict said;
  std::string_view why;
  bytes left;

  asked(typename F::ref const& tables, bytes frame) : left{std::move(frame)} {
    auto const length = static_cast<std::uint32_t>(left.size());
    said = F::process({left.data(), length, length}, tables);
    if (said.what() == verdict::action::drop) why = drop_name<F>(said.why());
  }
};

TEST(route_hooks, of_ipv6_are_met_by_ipv6_packets_alone) {
  using filtered = chain<no_ipv6, router>;
  filtered::ref const tables{{}, {routes()}};
  EXPECT_EQ(asked<filtered>(tables, ipv4()).said, by_gateway);
  asked<filtered> const dropped{tables, ipv6()};
  EXPECT_EQ(dropped.why, "ipv6");
  EXPECT_EQ(dropped.left, ipv6());
  // The router itself decides on packets that it does not route: to a group, from a martian address.
  auto const to_group = packet_builder{}.eth().ipv6("2001:db8::1", "ff02::1").udp(1, 2).payload(5).build();
  EXPECT_EQ(asked<filtered>(tables, to_group).said, verdict::punt());
  auto const martian = packet_builder{}.eth().ipv6("::1", "2001:db8:ff::9").udp(1, 2).payload(5).build();
  EXPECT_EQ(asked<filtered>(tables, martian).why, "martian_source");
}

using witnessed = chain<witness<'a'>, witness<'b'>, router>;

TEST(route_hooks, are_met_in_the_order_of_stages_by_both_ip_versions) {
  constexpr auto all = " a.pre_route0 b.pre_route0 a.routed1 b.routed1 a.post_route2 b.post_route2";
  for (auto const& packet : {ipv4(), ipv6()}) {
    std::string met;
    asked<witnessed> const one{{{&met}, {&met}, {routes()}}, packet};
    EXPECT_EQ(one.said, by_gateway);
    EXPECT_EQ(met, all);
    EXPECT_EQ(one.left, asked<router>(routes(), packet).left) << "the router has done its part";
  }
}

TEST(route_hooks, behind_the_way_are_met_by_what_goes_alone) {
  struct {
    bytes packet;
    std::string met;
    verdict said;
  } const cases[]{
      // To the router itself.
      {packet_builder{}.eth().ipv6("2001:db8::1", "2001:db8::fe").icmp_echo(1, 2).payload(8).build(), " a.pre_route0",
       verdict::forward(egress_index{0})},
      {ipv6("2001:db8:99::1"), " a.pre_route0 a.unrouted1", verdict::punt(punt_reason::unreachable)},
      {ipv6("2001:db8:ff::9", 100), " a.pre_route0 a.routed1", verdict::punt(punt_reason::too_big)},
      {ipv4("21.0.0.1"), " a.pre_route0 a.unrouted1", verdict::punt(punt_reason::unreachable)},
      // The control plane only cuts it: it has met all.
      {ipv4("20.9.9.9", 60), " a.pre_route0 a.routed1 a.post_route2", verdict::punt(punt_reason::needs_fragmentation)},
  };
  for (auto const& one : cases) {
    std::string met;
    using F = chain<witness<'a'>, router>;
    EXPECT_EQ(asked<F>({{&met}, {routes()}}, one.packet).said, one.said);
    EXPECT_EQ(met, one.met);
  }
}

TEST(route_hooks, of_a_stage_that_is_off_are_passed_by) {
  using F = chain<switched<witness<'a'>>, switched<no_ipv6>, router>;
  std::string met;
  F::ref tables{{{{&met}, 0}}, {{{}, 0}}, {routes()}};
  EXPECT_EQ(asked<F>(tables, ipv6()).said, by_gateway);
  EXPECT_EQ(met, "");
  tables = {{{{&met}, 1}}, {{{}, 0}}, {routes()}};
  EXPECT_EQ(asked<F>(tables, ipv6()).said, by_gateway);
  EXPECT_EQ(met, " a.pre_route0 a.routed1 a.post_route2");
  tables = {{{{&met}, 0}}, {{{}, 1}}, {routes()}};
  EXPECT_EQ(asked<F>(tables, ipv6()).why, "ipv6");
}

using joint_route_hooks = last_byte_fixture;

TEST_F(joint_route_hooks, take_the_annotation_of_their_packet) {
  using F = chain<last_byte, router>;
  std::vector<bytes> packets;
  std::vector<verdict> wanted;
  // More than a group, so that some annotations are of the second one.
  for (unsigned n = 0; n < 50; ++n) {
    packets.push_back(ending_with(n % 4, n % 3 == 0 ? ipv6() : ipv4()));
    wanted.push_back(n % 4 == 1 ? drop<F>(0) : n % 4 == 2 ? drop<F>(1) : by_gateway);
  }
  EXPECT_EQ(said_of<F>({{}, {routes()}}, packets), wanted);
  // A packet that is not routed does not meet them.
  auto const to_nobody = packet_builder{}.eth("02:00:00:00:00:01", "02:00:00:00:77:77").ipv4().udp(1, 2).payload(18);
  EXPECT_EQ(said_of<F>({{}, {routes()}}, {ending_with(1, to_nobody.build())}).front(),
            verdict::drop(function_drop(static_cast<std::uint16_t>(routing::fault::not_for_us))));
}

}  // namespace
}  // namespace packetwarp::test
