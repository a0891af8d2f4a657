// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string_view>

#include "function/router/router.h"
#include "parity/oracle.h"
#include "routing/router_table.h"
#include "wire/address_text.h"

namespace packetwarp::test {

// A router by whose first interface the corpus comes in: most of it is sent on to neighbours, some is for the router
// itself, and some for hosts and networks that it does not know.
inline void fill_router(router_table& table) {
  auto const ip4 = [](std::string_view text) { return ip_address{wire::parse_ipv4(text).value()}; };
  auto const ip6 = [](std::string_view text) { return ip_address{wire::parse_ipv6(text).value()}; };
  auto const inside = table.add_interface(wire::parse_mac("02:00:00:00:00:02").value(), 1500);
  auto const outside = table.add_interface(wire::parse_mac("02:00:00:00:00:03").value(), 80);
  table.add_address(inside, {ip4("10.0.0.254"), 24});
  table.add_address(inside, {ip6("2001:db8::fe"), 64});
  table.add_address(outside, {ip4("10.1.0.254"), 24});
  table.add_address(outside, {ip6("2001:db8:1::fe"), 64});
  neighbour_key const gateways[]{{outside, ip4("10.1.0.1")}, {outside, ip6("2001:db8:1::1")}};
  table.set_route({ip4("20.0.0.0"), 8}, gateways[0]);
  table.set_route({ip4("20.1.2.0"), 25}, neighbour_key{inside, ip4("10.0.0.2")});
  table.set_route({ip4("20.1.2.3"), 32}, discard{});
  table.set_route({ip6("2001:db8:ff::"), 48}, gateways[1]);
  auto const mac = wire::parse_mac("02:00:00:00:07:01").value();
  bool const has_room = table.set_neighbour({inside, ip4("10.0.0.2")}, mac) &&
                        table.set_neighbour({inside, ip6("2001:db8::2")}, mac) &&
                        table.set_neighbour(gateways[0], mac) && table.set_neighbour(gateways[1], mac);
  if (!has_room) throw std::runtime_error{"the parity suite's router is too small"};
  table.commit();
}

template <>
struct suite_tables<router> {
  [[nodiscard]] static table_refs<router> in(table_place copy, company) {
    constexpr router_limits limits{
        .interfaces = 2, .ipv4_groups = 16, .ipv6_groups = 256, .next_hops = 16, .hosts = 32};
    auto const make = [&](table_place place) {
      auto* const table = new router_table{place, limits};
      fill_router(*table);
      return table;
    };
    static auto const* const on_host = make({});
    if (copy.gpu == table_place::host) return {on_host->cpu({}), on_host->gpu({})};
    static auto const* const on_gpu = make(copy);
    return {on_gpu->cpu({}), on_gpu->gpu({})};
  }
};

}  // namespace packetwarp::test
