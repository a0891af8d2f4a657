// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <span>

#include "cli/metrics/listen_address.h"
#include "cli/run/plane_section.h"
#include "cli/run/punt_section.h"
#include "cli/run/values.h"
#include "cli/run/yaml_reader.h"

namespace packetwarp {
namespace {

constexpr std::array rules_sites{
    choice{std::string_view{"auto"}, rules_on::automatic}, choice{std::string_view{"nic"}, rules_on::nic},
    choice{std::string_view{"gpu"}, rules_on::gpu}, choice{std::string_view{"cpu"}, rules_on::cpu}};

[[nodiscard]] std::vector<std::string> names_of(std::vector<interface_config> const& interfaces) {
  std::vector<std::string> names;
  names.reserve(interfaces.size());
  for (auto const& one : interfaces) names.push_back(one.name);
  return names;
}

[[nodiscard]] interface_config read_interface(yaml_place const& place) {
  place.require_keys({"name", "port", "mac", "mtu", "addresses", "kernel"});
  interface_config made{.line = place.line(),
                        .name = place.at("name").text(),
                        .device = place.at("port").text(),
                        .mac = {},
                        .mtu = 1500,
                        .addresses = {},
                        .kernel = {}};
  if (auto const at = place.find("mac")) made.mac = mac_at(*at);
  if (auto const at = place.find("mtu")) made.mtu = static_cast<std::uint16_t>(at->number(1280, 9000));
  if (auto const at = place.find("addresses")) {
    for (auto const& one : at->items()) made.addresses.push_back(prefix_at(one));
  }
  if (auto const at = place.find("kernel")) made.kernel = read_kernel_section(*at, made.name);
  return made;
}

// Where the address at `place` is another interface's, or this one's a second time.
void require_new_address(network_config const& config, interface_config const& its, std::size_t n,
                         yaml_place const& place) {
  auto const refuse_in = [&](interface_config const& other, std::size_t count) {
    for (auto const& taken : std::span{other.addresses}.first(count)) {
      if (taken.address == its.addresses[n].address) {
        place.refuse(fmt::format("{} is interface {}'s already", to_text(taken.address), other.name));
      }
    }
  };
  for (auto const& other : config.interfaces) refuse_in(other, other.addresses.size());
  refuse_in(its, n);
}

void read_interfaces(yaml_place const& list, network_config& config) {
  for (auto const& place : list.items()) {
    auto one = read_interface(place);
    for (auto const& other : config.interfaces) {
      if (other.name == one.name) place.refuse(fmt::format("there is an interface '{}' already", one.name));
      if (one.kernel && other.kernel && other.kernel->name == one.kernel->name) {
        place.at("kernel").refuse(
            fmt::format("'{}' is interface {}'s; give another name", one.kernel->name, other.name));
      }
      if (other.device == one.device) place.refuse(fmt::format("port {} is interface {}'s", one.device, other.name));
    }
    for (std::size_t n = 0; n < one.addresses.size(); ++n) {
      require_new_address(config, one, n, place.at("addresses").items()[n]);
    }
    config.interfaces.push_back(std::move(one));
  }
  if (config.interfaces.empty()) list.refuse("give an interface at least: {name: left, port: 0}");
}

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
      .line = place.line(), .to = prefix_at(place.at("to")), .via = {}, .interface = {}, .discard = false};
  if (auto const at = place.find("via")) made.via = address_at(*at);
  if (auto const at = place.find("interface")) {
    require_interface(config, *at);
    made.interface = at->text();
  }
  if (auto const at = place.find("discard")) made.discard = at->flag();
  if (made.discard == (made.via || !made.interface.empty())) {
    place.refuse("a route leads by 'via' or 'interface', or 'discard: true' drops what it leads");
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

[[nodiscard]] hairpin_mode hairpin_mode_at(yaml_place const& place) {
  auto const text = place.text();
  char* end{};
  auto const bits = std::strtoull(text.c_str(), &end, 0);
  auto const mode = text.empty() || *end != 0 ? std::nullopt : hairpin_mode_of(bits);
  if (mode) return *mode;
  place.refuse(
      fmt::format("'{}' is none of 0x0 (a port to itself), 0x1 (a loop), 0x2 (pairs), or these with 0x10 for "
                  "egress rules of one's own",
                  text));
}

[[nodiscard]] rules_config read_rules(yaml_place const& place) {
  place.require_keys({"file", "on", "receive_queues", "hairpin_queues", "hairpin_mode", "isolate"});
  rules_config made{.line = place.line(), .file = place.at("file").text()};
  if (!std::ifstream{made.file}) {
    place.at("file").refuse(fmt::format("'{}' cannot be read; give a file of testpmd's flow commands", made.file));
  }
  if (auto const at = place.find("receive_queues"))
    made.receive_queues = static_cast<std::uint16_t>(at->number(1, 1024));
  if (auto const at = place.find("hairpin_queues")) made.hairpin_queues = static_cast<std::uint16_t>(at->number(0, 64));
  if (auto const at = place.find("hairpin_mode")) made.hairpin = hairpin_mode_at(*at);
  if (auto const at = place.find("on")) made.on = choice_at(*at, rules_sites);
  if (auto const at = place.find("isolate")) made.isolate = at->flag();
  return made;
}

void read_functions(yaml_place const& root, network_config& config) {
  if (auto const at = root.find("nat44")) {
    std::vector<named_interface> named;
    for (auto const& one : config.interfaces) {
      named.push_back({one.name, {}});
      for (auto const& own : one.addresses) {
        if (auto const* const ip4 = std::get_if<wire::ipv4_address>(&own.address))
          named.back().addresses.push_back(*ip4);
      }
    }
    config.nat44 = read_nat44_section(*at, named);
    config.plane.function = function_kind::nat44;
  }
  auto const at = root.find("rules");
  if (!at) return;
  // Pushed tags go into a packet's headroom, which a copy in GPU memory does not have.
  if (config.plane.where == placement::device) at->refuse("rules need 'placement: host'");
  config.rules = read_rules(*at);
  // What they do not decide on is the host's, unless somebody is told to forward it.
  if (config.nat44) {
    config.plane.function = function_kind::ruled_nat44;
  } else {
    config.plane.function = root.find("routes") ? function_kind::ruled_router : function_kind::rules;
  }
}

}  // namespace

interface_index index_of(network_config const& config, std::string const& interface) {
  auto const& all = config.interfaces;
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.name == interface; });
  return interface_index{static_cast<std::uint16_t>(found - all.begin())};
}

network_config read_network_config(std::string const& file) {
  auto const root = read_yaml(file);
  root.require_keys({"eal", "control", "metrics", "event_log", "data_plane", "punt", "interfaces", "routes",
                     "neighbours", "nat44", "rules"});
  network_config config;
  config.file = file;
  config.root = root;
  config.plane.function = function_kind::router;
  if (auto const at = root.find("eal")) {
    for (auto const& word : at->items()) config.eal.push_back(word.text());
  }
  if (auto const at = root.find("control")) config.control = at->text();
  if (auto const at = root.find("metrics")) {
    config.observers.metrics = at->text();
    try {
      (void)parse_listen_address(config.observers.metrics, "metrics");
    } catch (usage_error const&) {
      at->refuse("give [ADDRESS:]PORT, such as 9464, 0.0.0.0:9464 or [::1]:9464");
    }
  }
  if (auto const at = root.find("event_log")) config.observers.event_log = at->text();
  read_interfaces(root.at("interfaces"), config);
  if (auto const at = root.find("data_plane")) read_plane_section(*at, names_of(config.interfaces), config.plane);
  if (auto const at = root.find("punt")) config.plane.punts = read_punt_section(*at);
  if (auto const at = root.find("routes")) {
    for (auto const& place : at->items()) config.routes.push_back(read_route(config, place));
  }
  if (auto const at = root.find("neighbours")) {
    for (auto const& place : at->items()) config.neighbours.push_back(read_neighbour(config, place));
  }
  read_functions(root, config);
  return config;
}

}  // namespace packetwarp
