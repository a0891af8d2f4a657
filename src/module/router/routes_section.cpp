// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/routes_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <variant>

#include "address/address_kind.h"
#include "address/neighbour.h"
#include "file/values.h"
#include "module/router/route_list.h"

namespace packetwarp {
namespace {

// Throws usage_error for a name that none of the config's interfaces has.
void require_interface(network_config const& config, yaml_place const& place) {
  auto const name = place.text();
  auto const& all = config.interfaces;
  if (std::any_of(all.begin(), all.end(), [&](auto const& one) { return one.name == name; })) return;
  std::string names;
  for (auto const& one : all) names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  place.refuse(fmt::format("no interface '{}'; there are {}", name, names));
}

// The longest of the own prefixes around the address: of the interface, or of all interfaces if its name is empty.
// Nothing: none is around it.
[[nodiscard]] ip_prefix const* prefix_around(network_config const& config, std::string const& interface,
                                             ip_address const& address) {
  ip_prefix const* longest = nullptr;
  for (auto const& one : config.interfaces) {
    if (!interface.empty() && one.name != interface) continue;
    for (auto const& own : one.addresses) {
      if (covers(own, address) && (longest == nullptr || own.length > longest->length)) longest = &own;
    }
  }
  return longest;
}

// Refuses an address that no neighbour has on the wire of the interface, whose name is empty for any.
void require_neighbours_address(network_config const& config, std::string const& interface, ip_address const& address,
                                yaml_place const& place) {
  if (std::visit([](auto a) { return routing::is_martian_source(a); }, address)) {
    bool const is_ipv4 = std::holds_alternative<wire::ipv4_address>(address);
    place.refuse(fmt::format("{} is no host's address: none of {} is; give a neighbour's", to_text(address),
                             is_ipv4 ? "0.0.0.0/8, 127.0.0.0/8 and 224.0.0.0/3" : "::, ::1 and ff00::/8"));
  }
  auto const* const around = prefix_around(config, interface, address);
  auto const use = around == nullptr ? std::string{} : reserved_use(*around, address);
  if (!use.empty()) place.refuse(fmt::format("{} is {}; give a neighbour's address", to_text(address), use));
}

// Refuses an address that one of the interfaces has; a link-local one, only if a neighbour on that interface's own link
// shall have it.
void require_anothers_address(network_config const& config, std::string const& interface, ip_address const& address,
                              yaml_place const& place) {
  for (auto const& one : config.interfaces) {
    if (is_link_local(address) && one.name != interface) continue;
    bool const is_own = std::ranges::any_of(one.addresses, [&](auto const& own) { return own.address == address; });
    if (is_own) {
      place.refuse(fmt::format("{} is interface {}'s own; give another host's address", to_text(address), one.name));
    }
  }
}

// Refuses a prefix for all of whose addresses the router has another rule than routes: without this line, nothing would
// tell that the route has no effect. Routes that drop such packets, which the router drops anyway, may stand.
void require_routed(ip_prefix const& to, yaml_place const& place) {
  using ipv4 = wire::ipv4_address;
  using ipv6 = wire::ipv6_address;
  static std::array<ip_prefix, 7> const never{ip_prefix{ipv4{0}, 8},
                                              ip_prefix{ipv4{127U << 24}, 8},
                                              ip_prefix{ipv4{0xa9fe'0000U}, 16},
                                              ip_prefix{ipv4{224U << 24}, 3},
                                              ip_prefix{ipv6{0, 0}, 127},
                                              ip_prefix{ipv6{0xfe80ULL << 48, 0}, 10},
                                              ip_prefix{ipv6{0xffULL << 56, 0}, 8}};
  for (auto const& one : never) {
    if (to.length < one.length || !covers(one, to.address)) continue;
    place.refuse(
        fmt::format("{} is never routed: no packet to {} is; leave this route out", to_text(to), to_text(one)));
  }
}

// The same of a route to a single address that is the router's: packets to it are not routed.
void require_others(network_config const& config, ip_prefix const& to, yaml_place const& place) {
  bool const is_host = to.length == (std::holds_alternative<wire::ipv4_address>(to.address) ? 32U : 128U);
  for (auto const& one : config.interfaces) {
    for (auto const& own : one.addresses) {
      auto const what = own.address == to.address         ? "own address"
                        : broadcast_of(own) == to.address ? "broadcast address"
                        : anycast_of(own) == to.address   ? "subnet-router anycast address"
                                                          : std::string_view{};
      if (!is_host || what.empty()) continue;
      place.refuse(fmt::format("{} is the {} of interface {}: no packet to it is routed; leave this route out",
                               to_text(to), what, one.name));
    }
  }
}

[[nodiscard]] route_config read_route(network_config const& config, yaml_place const& place) {
  place.require_keys({"to", "via", "interface", "discard"});
  route_config made{
      .line = place.line(), .to = network_at(place.at("to")), .via = {}, .interface = {}, .discard = false};
  if (auto const at = place.find("via")) made.via = address_at(*at);
  if (auto const at = place.find("interface")) {
    require_interface(config, *at);
    made.interface = at->text();
  }
  if (auto const at = place.find("discard")) made.discard = at->flag();
  if (made.discard == (made.via || !made.interface.empty())) {
    place.refuse("a route leads by 'via' or 'interface', or 'discard: true' drops its packets");
  }
  if (made.via && made.via->index() != made.to.address.index()) {
    place.refuse("'to' and 'via' have to be of one IP version");
  }
  if (made.via) {
    require_neighbours_address(config, made.interface, *made.via, place.at("via"));
    require_anothers_address(config, made.interface, *made.via, place.at("via"));
  }
  if (!made.discard) {
    require_routed(made.to, place.at("to"));
    require_others(config, made.to, place.at("to"));
  }
  return made;
}

[[nodiscard]] neighbour_config read_neighbour(network_config const& config, yaml_place const& place) {
  place.require_keys({"interface", "address", "mac"});
  require_interface(config, place.at("interface"));
  neighbour_config made{.line = place.line(),
                        .interface = place.at("interface").text(),
                        .address = address_at(place.at("address")),
                        .mac = unicast_mac_at(place.at("mac"))};
  require_neighbours_address(config, made.interface, made.address, place.at("address"));
  require_anothers_address(config, made.interface, made.address, place.at("address"));
  return made;
}

}  // namespace

void read_routes(yaml_place const& list, network_config& config) {
  std::map<ip_prefix, std::string, prefix_less> taken;  // the line or interface that has the prefix
  for (auto const& one : config.interfaces) {
    for (auto const& own : one.addresses) taken.emplace(own, fmt::format("interface {}'s own prefix", one.name));
  }
  for (auto const& place : list.items()) {
    auto made = read_route(config, place);
    auto const [before, is_new] = taken.emplace(made.to, fmt::format("that of the route in line {}", made.line));
    if (!is_new) {
      place.at("to").refuse(fmt::format("{} is {}; give one route for a prefix", to_text(made.to), before->second));
    }
    config.routes.push_back(std::move(made));
  }
}

void read_neighbours(yaml_place const& list, network_config& config) {
  std::map<neighbour_key, int, neighbour_less> taken;  // the line that has the neighbour
  for (auto const& place : list.items()) {
    auto made = read_neighbour(config, place);
    neighbour_key const key{index_of(config, made.interface), made.address};
    auto const [before, is_new] = taken.try_emplace(key, made.line);
    if (!is_new) {
      place.at("address").refuse(
          fmt::format("{} on interface {} is that of the neighbour in line {}; give one entry for a neighbour",
                      to_text(made.address), made.interface, before->second));
    }
    config.neighbours.push_back(std::move(made));
  }
}

}  // namespace packetwarp
