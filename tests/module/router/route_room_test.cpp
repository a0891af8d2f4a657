// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/route_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "module/router/router_kind.h"

namespace packetwarp {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr router_limits few{
    .interfaces = 1, .ipv4_groups = 4, .ipv6_groups = 13, .next_hops = 5, .hosts = 9, .learnt = 2};

// A network of one interface, 10.0.0.1/16, to whose routes and neighbours tests add theirs.
[[nodiscard]] network_config plain_network() {
  network_config made;
  made.file = "network.yaml";
  made.interfaces.resize(1);
  made.interfaces[0].line = 3;
  made.interfaces[0].name = "left";
  made.interfaces[0].addresses = {{wire::ipv4_address{0x0a00'0001}, 16}};
  return made;
}

void add_route(network_config& to, ip_prefix const& prefix) {
  to.routes.push_back(
      {.line = static_cast<int>(10 + to.routes.size()), .to = prefix, .via = {}, .interface = {}, .discard = true});
}

// Routes to 20.N.0.1/32.
[[nodiscard]] network_config with_long_routes(std::uint32_t first, std::uint32_t count) {
  auto made = plain_network();
  for (auto n = first; n < first + count; ++n) add_route(made, {wire::ipv4_address{0x1400'0001 + (n << 16)}, 32});
  return made;
}

// Routes to 20.N.0.0/16 by 10.0.N.2.
[[nodiscard]] network_config with_gateways(std::uint32_t first, std::uint32_t count) {
  auto made = plain_network();
  for (auto n = first; n < first + count; ++n) {
    made.routes.push_back({.line = static_cast<int>(10 + made.routes.size()),
                           .to = {wire::ipv4_address{0x1400'0000 + (n << 16)}, 16},
                           .via = wire::ipv4_address{0x0a00'0002 + (n << 8)},
                           .interface = {}});
  }
  return made;
}

[[nodiscard]] network_config with_neighbours(std::uint32_t first, std::uint32_t count) {
  auto made = plain_network();
  for (auto n = first; n < first + count; ++n) {
    made.neighbours.push_back({.line = static_cast<int>(10 + made.neighbours.size()),
                               .interface = "left",
                               .address = wire::ipv4_address{0x0a00'0002 + n},
                               .mac = *wire::parse_mac("02:00:00:00:01:01")});
  }
  return made;
}

[[nodiscard]] network_settings settings_of(network_config const& of) {
  return {std::make_shared<network_config const>(of), routes_of(of)};
}

template <class Call>
[[nodiscard]] std::string refusal_of(Call const& call) {
  try {
    call();
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "accepted";
}

[[nodiscard]] std::string said_of_room(network_config const& wanted) {
  return refusal_of([&] { require_room(settings_of(wanted), few); });
}
[[nodiscard]] std::string said_of_room(network_config const& now, network_config const& wanted) {
  return refusal_of([&] { require_room(settings_of(now), settings_of(wanted), few); });
}

TEST(route_room, counts_groups) {
  EXPECT_EQ(said_of_room(with_long_routes(0, 4)), "accepted");
  EXPECT_EQ(said_of_room(with_long_routes(0, 5)),
            "network.yaml:14: route to 20.4.0.1/32: no room: packetwarp has room for 4 groups of 256 that IPv4 routes "
            "longer than /24 take; give fewer");
  auto one = with_long_routes(0, 4);
  add_route(one, {wire::ipv4_address{0x1400'0080}, 25});
  EXPECT_EQ(said_of_room(one), "accepted") << "the group is there";
  add_route(one, {wire::ipv6_address{0x2001'0db8'0000'0000, 1}, 128});
  EXPECT_EQ(said_of_room(one), "accepted") << "13 groups of IPv6";
  add_route(one, {wire::ipv6_address{0x2001'0db8'0100'0000, 0}, 48});
  EXPECT_THAT(said_of_room(one), HasSubstr("room for 13 groups of 256 that IPv6 routes longer than /24 take"));
}

TEST(route_room, counts_an_interfaces_own_prefix_by_its_line) {
  auto one = plain_network();
  for (std::uint32_t n = 0; n < 5; ++n) {
    one.interfaces[0].addresses.push_back({wire::ipv4_address{0x1e00'0001 + (n << 16)}, 25});
  }
  EXPECT_THAT(refusal_of([&] {
                auto limits = few;
                limits.hosts = 64;
                require_room(settings_of(one), limits);
              }),
              StartsWith("network.yaml:3: route to 30.4.0.1/25: no room"));
}

TEST(route_room, has_the_routes_of_both_while_one_network_becomes_another) {
  EXPECT_EQ(said_of_room(with_long_routes(0, 4), with_long_routes(0, 4)), "accepted");
  EXPECT_EQ(said_of_room(with_long_routes(0, 2), with_long_routes(2, 2)), "accepted");
  EXPECT_EQ(said_of_room(with_long_routes(0, 3), with_long_routes(3, 2)),
            "network.yaml:11: route to 20.4.0.1/32: no room: this run has room for 4 groups of 256 that IPv4 routes "
            "longer than /24 take, and those of before the reload count too; give fewer, or start again with this "
            "file, for which a start makes room");
  EXPECT_THAT(said_of_room(with_long_routes(2, 3), with_long_routes(0, 2)),
              StartsWith("network.yaml:11: route to 20.1.0.1/32"))
      << "the routes in force are not to blame";
}

TEST(route_room, counts_next_hops_and_leaves_some_to_learnt_neighbours) {
  EXPECT_EQ(said_of_room(with_gateways(0, 3)), "accepted");
  EXPECT_THAT(said_of_room(with_gateways(0, 4)),
              StartsWith("network.yaml:13: via 10.0.3.2: no room: packetwarp has room for 3 "
                         "neighbours that routes lead by or 'neighbours' has"));
  EXPECT_EQ(said_of_room(with_gateways(0, 2), with_gateways(1, 2)), "accepted");
  EXPECT_THAT(said_of_room(with_gateways(0, 2), with_gateways(1, 3)),
              StartsWith("network.yaml:12: via 10.0.3.2: no room"));
  auto both = with_neighbours(0, 1);
  both.routes = with_gateways(0, 3).routes;
  EXPECT_EQ(said_of_room(both), "accepted") << "a gateway and a neighbour are one host";
  EXPECT_THAT(said_of_room(with_neighbours(0, 4)), StartsWith("network.yaml:13: neighbour 10.0.0.5: no room"));
}

TEST(route_room, counts_hosts) {
  auto limits = few;
  limits.next_hops = 64;
  auto const told = [&](network_config const& wanted) {
    return refusal_of([&] { require_room(settings_of(wanted), limits); });
  };
  EXPECT_EQ(told(with_neighbours(0, 5)), "accepted") << "beside an own address and a broadcast address";
  EXPECT_THAT(told(with_neighbours(0, 6)), StartsWith("network.yaml:15: neighbour 10.0.0.7: no room: packetwarp has "
                                                      "room for 7 IPv4 hosts"));
  EXPECT_THAT(
      refusal_of([&] { require_room(settings_of(with_neighbours(0, 3)), settings_of(with_neighbours(3, 3)), limits); }),
      StartsWith("network.yaml:12: neighbour 10.0.0.7: no room: this run"));
  auto one = plain_network();
  for (std::uint32_t n = 0; n < 3; ++n) {
    one.interfaces[0].addresses.push_back({wire::ipv4_address{0x1e00'0001 + (n << 16)}, 24});
  }
  EXPECT_THAT(told(one), StartsWith("network.yaml:3: interface left: no room: packetwarp has room for 7 IPv4 hosts"));
}

TEST(route_room, is_made_for_twice_of_what_a_file_asks) {
  auto const usual = limits_for(plain_network());
  EXPECT_EQ(usual.ipv4_groups, 65536U);
  EXPECT_EQ(usual.next_hops, 65536U);
  EXPECT_EQ(usual.hosts, 65536U);
  auto many = plain_network();
  for (std::uint32_t n = 0; n < 50000; ++n) add_route(many, {wire::ipv4_address{0x1400'0001 + (n << 8)}, 32});
  EXPECT_EQ(limits_for(many).ipv4_groups, 100000U);
  EXPECT_EQ(limits_for(with_neighbours(0, 20000)).next_hops, usual.learnt + 40000U);
  EXPECT_GT(limits_for(with_neighbours(0, 20000)).hosts, usual.learnt + 40000U);
  EXPECT_EQ(refusal_of([&] { require_room(settings_of(many), limits_for(many)); }), "accepted");
}

TEST(route_room, is_checked_by_a_plan) {
  auto many = plain_network();
  for (std::uint64_t n = 0; n < largest_table / 13 + 1; ++n) {
    add_route(many, {wire::ipv6_address{0x2001'0000'0000'0000 + (n << 40), 1}, 128});
  }
  many.tables = limits_for(many);
  EXPECT_EQ(many.tables.ipv6_groups, largest_table);
  EXPECT_THAT(refusal_of([&] { router_kind{}.check(many, {}); }),
              HasSubstr("packetwarp has room for 1048576 groups of 256 that IPv6 routes longer than /24 take"));
}

}  // namespace
}  // namespace packetwarp
