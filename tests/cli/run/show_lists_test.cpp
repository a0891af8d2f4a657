// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/error.h"
#include "cli/run/show/drops.h"
#include "function/chain.h"
#include "function/nat44/nat44.h"
#include "function/router/router.h"
#include "function/rules/rules.h"
#include "module/router/show_neighbours.h"
#include "module/router/show_routes.h"
#include "module/rows.h"

namespace packetwarp {
namespace {

constexpr auto on_left = static_cast<interface_index>(0);
constexpr auto on_right = static_cast<interface_index>(1);
std::array<std::string, 2> const shown_names{json_text("left"), json_text("r\"ight")};

[[nodiscard]] ip_address address(std::string_view text) { return parse_address(text).value(); }
[[nodiscard]] ip_prefix prefix(std::string_view text) { return parse_prefix(text).value(); }

[[nodiscard]] json rows_of(json_rows const& rows) { return json::parse(rows.array()); }

TEST(show_lists, a_prefix_is_an_address_and_how_many_of_its_bits) {
  EXPECT_EQ(prefix("10.0.0.0/8"), (ip_prefix{address("10.0.0.0"), 8}));
  EXPECT_EQ(prefix("2001:db8::/128"), (ip_prefix{address("2001:db8::"), 128}));
  for (auto const* text : {"", "/", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "2001:db8::/129", "10.0.0.0/8x",
                           "10.0.0.0/-1", "10.0.0/8", "/8", "10.0.0.0/8/8", "x/8"}) {
    EXPECT_EQ(parse_prefix(text), std::nullopt) << text;
  }
  for (auto const* text : {"", "10.0.0", "10.0.0.0/8", "left", "2001:db8:::1"}) {
    EXPECT_EQ(parse_address(text), std::nullopt) << text;
  }
}

TEST(show_lists, a_route_says_where_it_leads_and_where_it_was_written) {
  route_map routes;
  routes[{address("10.0.0.1"), 24}] = {on_link{on_left}, 0};
  routes[prefix("192.0.2.0/24")] = {neighbour_key{on_right, address("10.1.0.2")}, 12};
  routes[prefix("198.51.100.0/24")] = {discard{}, 13};
  routes[prefix("2001:db8::/32")] = {on_link{on_right}, 14};
  json_rows rows;
  EXPECT_EQ(add_routes(routes, shown_names, std::nullopt, 10, rows), std::nullopt);
  EXPECT_EQ(rows_of(rows), (json::parse(
                               R"([{"prefix":"10.0.0.0/24","kind":"connected","interface":"left","origin":"address"},
              {"prefix":"192.0.2.0/24","kind":"via","via":"10.1.0.2","interface":"r\"ight","origin":"file","line":12},
              {"prefix":"198.51.100.0/24","kind":"discard","origin":"file","line":13},
              {"prefix":"2001:db8::/32","kind":"connected","interface":"r\"ight","origin":"file","line":14}])")));
}

TEST(show_lists, pages_of_routes_are_all_of_them_once_whatever_their_size) {
  route_map routes;
  for (std::uint32_t n = 0; n < 1000; ++n) {
    routes[{wire::ipv4_address{n << 12}, 20 + n % 9}] = {discard{}, 1};
    routes[{wire::ipv6_address{std::uint64_t{n} << 40, 0}, 24 + n % 40}] = {discard{}, 1};
  }
  routes[prefix("0.0.0.0/0")] = {discard{}, 1};
  for (std::size_t const size : {1u, 7u, 256u, 5000u}) {
    std::set<std::string> seen;
    std::size_t count = 0;
    std::optional<ip_prefix> from;
    do {
      json_rows rows;
      from = add_routes(routes, shown_names, from, size, rows);
      EXPECT_LE(rows.count(), size);
      for (auto const& one : rows_of(rows)) seen.insert(one.at("prefix").get<std::string>());
      count += rows.count();
    } while (from);
    EXPECT_EQ(count, routes.size()) << size;
    EXPECT_EQ(seen.size(), routes.size()) << size;
  }
}

TEST(show_lists, a_page_of_routes_begins_behind_one_that_is_gone) {
  route_map routes;
  routes[prefix("10.0.0.0/8")] = {discard{}, 1};
  routes[prefix("10.0.0.0/9")] = {discard{}, 2};
  routes[prefix("12.0.0.0/8")] = {discard{}, 3};
  json_rows rows;
  (void)add_routes(routes, shown_names, prefix("11.0.0.0/8"), 10, rows);
  EXPECT_EQ(rows_of(rows).size(), 1u);
  rows.clear();
  EXPECT_EQ(add_routes(routes, shown_names, prefix("10.0.0.0/9"), 1, rows), prefix("12.0.0.0/8"));
  EXPECT_EQ(rows_of(rows).at(0).at("line"), 2);
}

TEST(show_lists, a_neighbour_has_an_age_unless_it_is_permanent) {
  router_table table{{}, {.interfaces = 2, .ipv4_groups = 16, .ipv6_groups = 16}};
  for (std::uint64_t n = 1; n <= 2; ++n)
    (void)table.add_interface(wire::mac_address::from_number(0x0200'0000'0000 + n), 1500);
  table.add_address(on_left, {address("10.0.0.1"), 24});
  neighbour_cache known{table, {}};
  neighbour_events none;
  known.add_permanent({on_left, address("10.0.0.2")}, wire::mac_address::from_number(0x0200'0000'0102), none);
  ASSERT_TRUE(known.learn({on_left, address("10.0.0.3")}, wire::mac_address::from_number(0x0200'0000'0103),
                          neighbour_cache::learning::anyone, std::chrono::seconds{5}, none));
  json_rows rows;
  auto const next = add_neighbours(known, shown_names, std::chrono::milliseconds{9999}, std::nullopt, 1, rows);
  ASSERT_EQ(next, (neighbour_key{on_left, address("10.0.0.3")}));
  EXPECT_EQ(add_neighbours(known, shown_names, std::chrono::milliseconds{9999}, next, 9, rows), std::nullopt);
  EXPECT_EQ(
      rows_of(rows),
      (json::parse(
          R"([{"interface":"left","address":"10.0.0.2","mac":"02:00:00:00:01:02","state":"permanent","age":null,"waiting":0},
              {"interface":"left","address":"10.0.0.3","mac":"02:00:00:00:01:03","state":"reachable","age":4,"waiting":0}])")));
}

TEST(show_lists, a_page_has_the_rows_that_are_asked_for_and_no_more_than_the_bound) {
  auto const rows = [](char const* limit) {
    return rows_of_a_page({.command = "show rules", .arguments = {{"limit", limit}}});
  };
  EXPECT_EQ(rows_of_a_page({.command = "show rules", .arguments = {}}), most_rows_of_a_page);
  EXPECT_EQ(rows("1"), 1u);
  EXPECT_EQ(rows("18446744073709551615"), most_rows_of_a_page);
  for (auto const* wrong : {"", "0", "-1", "x", "1x", " 1", "18446744073709551616"})
    EXPECT_THROW((void)rows(wrong), usage_error) << wrong;
  EXPECT_EQ(first_row({.command = "show rules", .arguments = {{"from", "0"}}}), 0u);
  EXPECT_THROW((void)first_row({.command = "show rules", .arguments = {{"from", "left"}}}), usage_error);
}

}  // namespace
}  // namespace packetwarp
