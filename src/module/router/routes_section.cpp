// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/routes_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

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
  return made;
}

[[nodiscard]] neighbour_config read_neighbour(network_config const& config, yaml_place const& place) {
  place.require_keys({"interface", "address", "mac"});
  require_interface(config, place.at("interface"));
  return {.line = place.line(),
          .interface = place.at("interface").text(),
          .address = address_at(place.at("address")),
          .mac = mac_at(place.at("mac"))};
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
  for (auto const& place : list.items()) config.neighbours.push_back(read_neighbour(config, place));
}

}  // namespace packetwarp
