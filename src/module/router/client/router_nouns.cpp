// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/client/router_nouns.h"

#include <fmt/format.h>

#include <array>

#include "module/client/cells.h"

namespace packetwarp {
namespace {

// Columns of lists, which are printed before all of their rows have come.
constexpr char route_form[] = "{:<20}  {:<9}  {:<16}  {:<12}  {}";
constexpr char neighbour_form[] = "{:<12}  {:<24}  {:<17}  {:<10}  {:>6}  {:>7}";

// "file, line 12": where a route was written.
[[nodiscard]] std::string origin_of(json const& row) {
  auto const origin = word_of(row, "origin");
  return row.contains("line") ? fmt::format("{}, line {}", origin, row.value("line", 0)) : origin;
}

// "via 198.51.100.2 on right", "connected on left", "discard".
[[nodiscard]] std::string way_of(json const& route) {
  auto way = word_of(route, "kind");
  if (route.contains("via")) way += ' ' + word_of(route, "via");
  return route.contains("interface") ? fmt::format("{} on {}", way, word_of(route, "interface")) : way;
}

[[nodiscard]] std::string fate_text(std::string const& kind) {
  if (kind == "own") return "an address of the router itself: packets to it are this machine's";
  if (kind == "broadcast") return "the broadcast address of a connected prefix: packets to it are not routed";
  if (kind == "never_routed") return "packets to such an address are not routed";
  if (kind == "none") return "no route: packets to it are answered by ICMP unreachable";
  return {};
}

[[nodiscard]] std::string hop_text(json const& hop) {
  if (!hop.is_object()) return {};
  auto const mac = word_of(hop, "mac");
  auto const state = word_of(hop, "state");
  auto const known = mac == "-" ? fmt::format("its MAC address is not known ({})", state)
                                : fmt::format("MAC address {} ({})", mac, state);
  return fmt::format("  next hop {} on {}: {}\n", word_of(hop, "address"), word_of(hop, "interface"), known);
}

[[nodiscard]] listing route_listing() {
  return {.rows = "routes",
          .heading = fmt::format(route_form, "prefix", "kind", "via", "interface", "origin"),
          .line = [](json const& row) {
            return fmt::format(route_form, word_of(row, "prefix"), word_of(row, "kind"), word_of(row, "via"),
                               word_of(row, "interface"), origin_of(row));
          }};
}

[[nodiscard]] listing neighbour_listing() {
  return {.rows = "neighbours",
          .heading = fmt::format(neighbour_form, "interface", "address", "mac", "state", "age s", "waiting"),
          .line = [](json const& row) {
            return fmt::format(neighbour_form, word_of(row, "interface"), word_of(row, "address"), word_of(row, "mac"),
                               word_of(row, "state"), count_of(row, "age"), count_of(row, "waiting"));
          }};
}

[[nodiscard]] std::string route_text(json const& said) {
  auto const& route = said.at("route");
  auto const asked = said.contains("address") ? word_of(said, "address") : word_of(said, "prefix");
  auto const fate = fate_text(word_of(said, "kind"));
  if (!route.is_object() || !fate.empty()) {
    return fmt::format("{}: {}\n", asked, fate.empty() ? "no route around all of it" : fate);
  }
  auto const hop = said.value("next_hop", json{});
  return fmt::format("{}: {} {} ({})\n{}", asked, word_of(route, "prefix"), way_of(route), origin_of(route),
                     hop_text(hop));
}

constexpr std::array nouns_of_router{
    shown_noun{
        .name = "routes",
        .help = "  routes                   the routes, by prefix\n"
                "  routes ADDRESS           the route that packets to an address take, and the next hop's MAC address\n"
                "  routes PREFIX            the longest route around all of a prefix\n",
        .rows = route_listing,
        .text = route_text,
        .one_row = "ADDRESS | PREFIX",
        .one_row_words = "an address or prefix",
        .place = "prefix",
        .of_one_moment = "routes"},
    shown_noun{.name = "neighbours",
               .help = "  neighbours               hosts on the interfaces' wires: MAC address, state, age\n",
               .rows = neighbour_listing,
               .place = "neighbour (INTERFACE/ADDRESS)"}};

}  // namespace

std::span<shown_noun const> router_nouns() { return nouns_of_router; }

}  // namespace packetwarp
