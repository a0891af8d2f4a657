// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
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

TEST(router_change, is_undone_without_room_for_another_next_hop) {
  router_table table{{}, {.interfaces = 1, .ipv4_groups = 8, .ipv6_groups = 8, .next_hops = 3, .hosts = 8}};
  router_module router{{.config = leading_by(2, 3), .places = {}, .routes = table}};
  plan planned;
  planned.ports.resize(1);
  router.prepare(planned);
  auto const refused = router.change_to(leading_by(4, 5));
  finish_plan(*refused);
  EXPECT_THROW(finish_apply(*refused), failure) << "three of four next hops have room";
  while (!refused->undo()) std::this_thread::yield();
  neighbour_key const before[]{{interface_index{0}, host(2)}, {interface_index{0}, host(3)}};
  EXPECT_EQ(table.resolve(wire::ipv4_address{20U << 24 | 1}), before[0]);
  EXPECT_EQ(table.resolve(wire::ipv4_address{21U << 24 | 1}), before[1]);
  table.commit();
  table.reclaim();
  EXPECT_EQ(table.occupied().next_hops.used, 2U) << "none was lost";
}

TEST(router_change, gives_up_the_next_hops_that_it_has_replaced) {
  router_table table{{}, {.interfaces = 1, .ipv4_groups = 8, .ipv6_groups = 8, .next_hops = 4, .hosts = 8}};
  router_module router{{.config = leading_by(2, 3), .places = {}, .routes = table}};
  plan planned;
  planned.ports.resize(1);
  router.prepare(planned);
  auto const made = router.change_to(leading_by(4, 5));
  finish_plan(*made);
  finish_apply(*made);
  made->publish();
  table.commit();
  table.reclaim();
  EXPECT_EQ(table.occupied().next_hops.used, 2U);
}

}  // namespace
}  // namespace packetwarp
