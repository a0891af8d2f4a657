// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "module/router/router_module.h"

namespace packetwarp {
namespace {

[[nodiscard]] ip_address host(unsigned n) { return wire::ipv4_address{0x0a00'0000 + n}; }
[[nodiscard]] ip_prefix network(unsigned n) { return {wire::ipv4_address{n << 24}, 8}; }

// A network of an interface, and routes to 20.0.0.0/8 and 21.0.0.0/8 by hosts of its wire.
[[nodiscard]] std::shared_ptr<network_config const> leading_by(unsigned first, unsigned second) {
  auto made = std::make_shared<network_config>();
  made->file = "network.yaml";
  made->interfaces.resize(1);
  made->interfaces[0].name = "left";
  made->interfaces[0].mac = wire::parse_mac("02:00:00:00:00:02");
  made->interfaces[0].addresses = {{host(1), 24}};
  made->routes = {{.line = 10, .to = network(20), .via = host(first), .interface = {}},
                  {.line = 11, .to = network(21), .via = host(second), .interface = {}}};
  return made;
}

void finish_plan(module_change& change) {
  while (!change.plan()) std::this_thread::yield();
}

void finish_apply(module_change& change) {
  while (!change.apply()) std::this_thread::yield();
}

// A router whose routes lead by 10.0.0.2 and 10.0.0.3, and a table with room for some next hops.
struct changing_router {
  explicit changing_router(router_limits const& limits) : table{{}, limits} {
    plan planned;
    planned.ports.resize(1);
    router.prepare(planned);
  }
  [[nodiscard]] std::optional<neighbour_key> gateway_of(unsigned n) const {
    return table.resolve(wire::ipv4_address{n << 24 | 1});
  }
  // Next hops in use, once no packet can meet the ones given up.
  [[nodiscard]] std::size_t next_hops() {
    table.commit();
    table.reclaim();
    return table.occupied().next_hops.used;
  }
  router_table table;
  router_module router{{.config = leading_by(2, 3), .places = {}, .routes = table}};
};

[[nodiscard]] router_limits room_for(std::uint32_t next_hops) {
  return {.interfaces = 1, .ipv4_groups = 8, .ipv6_groups = 8, .next_hops = next_hops, .hosts = 8, .learnt = 0};
}
[[nodiscard]] neighbour_key on_left(unsigned n) { return {interface_index{0}, host(n)}; }

TEST(router_change, is_refused_by_its_line_before_anything_is_changed_if_it_has_no_room) {
  changing_router of{room_for(3)};
  auto const refused = of.router.change_to(leading_by(4, 5));
  try {
    finish_plan(*refused);
    FAIL() << "three of four next hops have room";
  } catch (usage_error const& wrong) {
    EXPECT_THAT(wrong.what(), testing::StartsWith("network.yaml:11: via 10.0.0.5: no room: this run has room for 3 "));
  }
  EXPECT_EQ(of.gateway_of(20), on_left(2));
  EXPECT_EQ(of.next_hops(), 2U);
}

TEST(router_change, takes_no_place_if_not_all_are_free_at_the_moment) {
  changing_router of{room_for(4)};
  ASSERT_TRUE(of.table.set_neighbour(on_left(9), *wire::parse_mac("02:00:00:00:07:01")));
  {
    auto const refused = of.router.change_to(leading_by(4, 5));
    EXPECT_THROW(finish_plan(*refused), failure);
  }
  EXPECT_EQ(of.gateway_of(20), on_left(2));
  EXPECT_EQ(of.next_hops(), 3U);
}

TEST(router_change, has_its_places_whatever_is_learnt_after_the_plan) {
  changing_router of{room_for(4)};
  auto const made = of.router.change_to(leading_by(4, 5));
  finish_plan(*made);
  EXPECT_FALSE(of.table.set_neighbour(on_left(9), *wire::parse_mac("02:00:00:00:07:01")));
  finish_apply(*made);
  EXPECT_EQ(of.gateway_of(21), on_left(5));
}

TEST(router_change, is_undone_whole) {
  changing_router of{room_for(4)};
  auto const made = of.router.change_to(leading_by(4, 5));
  finish_plan(*made);
  finish_apply(*made);
  EXPECT_EQ(of.gateway_of(20), on_left(4));
  while (!made->undo()) std::this_thread::yield();
  EXPECT_EQ(of.gateway_of(20), on_left(2));
  EXPECT_EQ(of.gateway_of(21), on_left(3));
  EXPECT_EQ(of.next_hops(), 2U) << "none was lost";
}

TEST(router_change, gives_up_the_next_hops_that_it_has_replaced) {
  changing_router of{room_for(4)};
  auto const made = of.router.change_to(leading_by(4, 5));
  finish_plan(*made);
  finish_apply(*made);
  made->publish();
  EXPECT_EQ(of.next_hops(), 2U);
}

TEST(router_change, removes_routes_when_it_can_no_longer_be_undone) {
  changing_router of{room_for(4)};
  auto without = std::make_shared<network_config>(*leading_by(2, 3));
  without->routes.pop_back();
  auto const made = of.router.change_to(without);
  finish_plan(*made);
  finish_apply(*made);
  EXPECT_EQ(of.gateway_of(21), on_left(3)) << "an undo would need room for it";
  made->publish();
  while (!made->finish()) std::this_thread::yield();
  EXPECT_EQ(of.gateway_of(21), std::nullopt);
  EXPECT_EQ(of.gateway_of(20), on_left(2));
  EXPECT_EQ(of.next_hops(), 1U);
}

}  // namespace
}  // namespace packetwarp
