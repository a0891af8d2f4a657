// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/route_list.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

[[nodiscard]] ip_address at(std::string_view text) {
  if (auto const found = wire::parse_ipv4(text)) return *found;
  return wire::parse_ipv6(text).value();
}

// Two interfaces, and the routes of a test.
[[nodiscard]] network_config with(std::vector<route_config> routes) {
  network_config made;
  made.file = "network.yaml";
  made.interfaces.resize(2);
  made.interfaces[0].name = "left";
  made.interfaces[0].addresses = {{at("10.0.0.1"), 24}, {at("2001:db8::1"), 64}};
  made.interfaces[1].name = "right";
  made.interfaces[1].addresses = {{at("10.0.0.129"), 26}};
  int line = 10;
  for (auto& route : routes) route.line = line++;
  made.routes = std::move(routes);
  return made;
}
[[nodiscard]] route_config by(ip_prefix const& to, std::string_view via, std::string interface = "") {
  return {.line = 0, .to = to, .via = at(via), .interface = std::move(interface), .discard = false};
}
[[nodiscard]] interface_index found_at(network_config const& config, ip_prefix const& to) {
  return std::get<neighbour_key>(routes_of(config).at(to).target).interface;
}

TEST(route_list, a_neighbour_is_on_the_wire_of_the_longest_prefix_around_it) {
  ip_prefix const to{at("192.0.2.0"), 24};
  EXPECT_EQ(found_at(with({by(to, "10.0.0.2")}), to), interface_index{0});
  EXPECT_EQ(found_at(with({by(to, "10.0.0.130")}), to), interface_index{1});
  ip_prefix const to_ipv6{at("2001:db8:9::"), 48};
  EXPECT_EQ(found_at(with({by(to_ipv6, "2001:db8::9")}), to_ipv6), interface_index{0});
  route_config const wire{.line = 0, .to = {at("172.16.0.0"), 12}, .via = {}, .interface = "right", .discard = false};
  EXPECT_EQ(found_at(with({by(to, "172.16.0.9"), wire}), to), interface_index{1}) << "wherever it stands";
  EXPECT_EQ(found_at(with({by(to, "203.0.113.9", "right")}), to), interface_index{1});
}

TEST(route_list, a_neighbour_that_is_on_no_wire_or_no_neighbour_is_told_by_its_line) {
  ip_prefix const to{at("192.0.2.0"), 24};
  for (auto const* via : {"203.0.113.9", "10.0.0.1", "10.0.0.255", "10.0.0.191"}) {
    try {
      (void)routes_of(with({by({at("198.51.100.0"), 24}, "10.0.0.2"), by(to, via)}));
      ADD_FAILURE() << via;
    } catch (usage_error const& error) {
      EXPECT_EQ(std::string{error.what()}.find("network.yaml:11: via " + std::string{via}), 0u) << error.what();
    }
  }
}

TEST(route_list, a_prefix_without_host_bits_is_the_network) {
  auto const network = [](std::string_view address, unsigned length) {
    return to_text(without_host_bits({at(address), length}));
  };
  EXPECT_EQ(network("192.0.2.129", 25), "192.0.2.128/25");
  EXPECT_EQ(network("192.0.2.129", 0), "0.0.0.0/0");
  EXPECT_EQ(network("192.0.2.129", 32), "192.0.2.129/32");
  EXPECT_EQ(network("2001:db8:1:2:3::4", 64), "2001:db8:1:2::/64");
  EXPECT_EQ(network("2001:db8::7", 126), "2001:db8::4/126");
  EXPECT_EQ(network("2001:db8::7", 128), "2001:db8::7/128");
}

TEST(route_list, the_first_and_the_last_address_of_an_ipv4_prefix_are_no_hosts) {
  auto const use = [](std::string_view own, unsigned length, std::string_view address) {
    return reserved_use({at(own), length}, at(address));
  };
  EXPECT_EQ(use("192.0.2.1", 24, "192.0.2.0"), "the network address of 192.0.2.0/24");
  EXPECT_EQ(use("192.0.2.1", 24, "192.0.2.255"), "the broadcast address of 192.0.2.0/24");
  EXPECT_EQ(use("192.0.2.5", 30, "192.0.2.4"), "the network address of 192.0.2.4/30");
  EXPECT_EQ(use("192.0.2.5", 0, "255.255.255.255"), "the broadcast address of 0.0.0.0/0");
  EXPECT_EQ(use("192.0.2.1", 24, "192.0.2.254"), "");
  EXPECT_EQ(use("192.0.2.1", 24, "192.0.3.255"), "") << "outside";
  EXPECT_EQ(use("192.0.2.4", 31, "192.0.2.4"), "");
  EXPECT_EQ(use("192.0.2.4", 31, "192.0.2.5"), "");
  EXPECT_EQ(use("192.0.2.4", 32, "192.0.2.4"), "");
  EXPECT_EQ(use("2001:db8::1", 64, "2001:db8::"), "");
  EXPECT_EQ(use("2001:db8::1", 64, "192.0.2.0"), "");
}

TEST(route_list, of_two_routes_with_one_prefix_the_later_one_holds_and_host_bits_do_not_count) {
  auto const routes = routes_of(with({by({at("192.0.2.1"), 24}, "10.0.0.2"), by({at("192.0.2.9"), 24}, "10.0.0.3")}));
  EXPECT_EQ(routes.size(), 4u) << "three of the interfaces' own";
  auto const& target = routes.at({at("192.0.2.0"), 24}).target;
  EXPECT_EQ(std::get<neighbour_key>(target).address, at("10.0.0.3"));
}

TEST(route_list, edits_are_what_differs_and_what_goes_comes_last) {
  ip_prefix const stays{at("192.0.2.0"), 24}, moves{at("192.0.3.0"), 24}, goes{at("192.0.1.0"), 24},
      comes{at("0.0.0.0"), 0};
  auto const before = routes_of(with({by(stays, "10.0.0.2"), by(moves, "10.0.0.2"), by(goes, "10.0.0.2")}));
  auto const after = routes_of(with({by(stays, "10.0.0.2"), by(moves, "10.0.0.3"), by(comes, "10.0.0.2")}));
  auto const edits = edits_between(before, after);
  ASSERT_EQ(edits.size(), 3u);
  EXPECT_EQ(edits[0].to, moves);
  EXPECT_TRUE(edits[0].before && edits[0].after);
  EXPECT_EQ(edits[1].to, comes) << "after the longer one";
  EXPECT_FALSE(edits[1].before);
  EXPECT_EQ(edits[2].to, goes);
  EXPECT_FALSE(edits[2].after);
  EXPECT_TRUE(edits_between(before, before).empty());
}

TEST(route_list, a_route_of_an_interfaces_own_prefix_that_goes_leaves_that_behind) {
  ip_prefix const own{at("10.0.0.0"), 24};
  auto const before = routes_of(with({{.line = 0, .to = own, .via = {}, .interface = {}, .discard = true}}));
  auto const edits = edits_between(before, routes_of(with({})));
  ASSERT_EQ(edits.size(), 3u) << "the own address and the broadcast address need no routes any more";
  ASSERT_TRUE(edits[0].after);
  EXPECT_FALSE(edits[1].after || edits[2].after);
  EXPECT_EQ(std::get<on_link>(edits[0].after->target).interface, interface_index{0});
}

// The table as router_module makes it, and as the data path reads it.
[[nodiscard]] router_table table_with(network_config const& config, route_map const& routes) {
  router_table table;
  for (std::uint16_t n = 0; n < config.interfaces.size(); ++n) {
    auto const interface =
        table.add_interface(wire::mac_address{{std::byte{2}, {}, {}, {}, {}, static_cast<std::byte>(n)}}, 1500);
    for (auto const& own : config.interfaces[n].addresses) table.add_address(interface, own);
  }
  for (auto const& edit : edits_between({}, routes)) table.set_route(edit.to, edit.after->target);
  return table;
}

TEST(route_list, own_addresses_and_broadcast_addresses_stay_so_under_longer_routes) {
  auto const config = with({by({at("10.0.0.0"), 25}, "10.0.0.130"), by({at("10.0.0.255"), 32}, "10.0.0.130"),
                            by({at("10.0.0.129"), 32}, "10.0.0.2"), by({at("2001:db8::"), 100}, "2001:db8:0:0:1::2")});
  auto const routes = routes_of(config);
  for (auto const* address : {"10.0.0.1", "10.0.0.129", "2001:db8::1"}) {
    ip_address const own = at(address);
    ASSERT_TRUE(routes.contains({own, bits_of(own)})) << address;
    EXPECT_EQ(routes.at({own, bits_of(own)}).line, 0) << address;
  }
  auto const table = table_with(config, routes);
  for (auto const* own : {"10.0.0.1", "10.0.0.129", "2001:db8::1"}) {
    EXPECT_EQ(table.kind_of(at(own)), next_hop_kind::local) << own;
  }
  EXPECT_EQ(table.kind_of(at("2001:db8::")), next_hop_kind::local) << "the anycast address of the subnet";
  EXPECT_EQ(table.kind_of(at("10.0.0.255")), next_hop_kind::broadcast);
  EXPECT_EQ(table.kind_of(at("10.0.0.191")), next_hop_kind::broadcast);
  for (auto const* other : {"10.0.0.0", "10.0.0.2", "2001:db8::2"}) {
    EXPECT_EQ(table.kind_of(at(other)), next_hop_kind::adjacent) << other;
  }
}

TEST(route_list, an_own_address_has_no_route_of_its_own_without_need) {
  route_config const wire{.line = 0, .to = {at("10.0.0.0"), 25}, .via = {}, .interface = "right", .discard = false};
  auto const routes = routes_of(with({by({at("10.0.0.128"), 27}, "10.0.0.2", "left"), wire}));
  EXPECT_FALSE(routes.contains({at("10.0.0.1"), 32})) << "the table of hosts is read in a connected prefix";
  EXPECT_TRUE(routes.contains({at("10.0.0.129"), 32}));
  EXPECT_FALSE(routes.contains({at("10.0.0.191"), 32}));
}

TEST(route_list, an_own_address_gets_its_route_before_the_longer_one_comes_and_keeps_it_until_that_is_gone) {
  auto const plain = routes_of(with({}));
  auto const longer = routes_of(with({by({at("10.0.0.0"), 25}, "10.0.0.130")}));
  auto const there = edits_between(plain, longer);
  ASSERT_EQ(there.size(), 2u);
  EXPECT_EQ(there[0].to, (ip_prefix{at("10.0.0.1"), 32}));
  auto const back = edits_between(longer, plain);
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[1].to, (ip_prefix{at("10.0.0.1"), 32}));
}

TEST(route_list, is_given_up_once_nothing_needs_it) {
  std::stop_source end;
  auto const one = with({by({at("192.0.2.0"), 24}, "10.0.0.2")});
  EXPECT_NO_THROW((void)routes_of(one, need_until(end.get_token())));
  end.request_stop();
  EXPECT_THROW((void)routes_of(one, need_until(end.get_token())), abandoned);
}

}  // namespace
}  // namespace packetwarp
