// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "cli/run/yaml_reader.h"

namespace packetwarp {
namespace {

[[nodiscard]] ip_address address_at(yaml_place const& place) {
  auto const text = place.text();
  if (auto const found = wire::parse_ipv4(text)) return *found;
  if (auto const found = wire::parse_ipv6(text)) return *found;
  place.refuse(fmt::format("'{}' is no IP address, such as 192.0.2.1 or 2001:db8::1", text));
}

[[nodiscard]] wire::mac_address mac_at(yaml_place const& place) {
  auto const text = place.text();
  if (auto const found = wire::parse_mac(text)) return *found;
  place.refuse(fmt::format("'{}' is no MAC address, such as 02:00:00:00:00:01", text));
}

[[nodiscard]] ip_prefix prefix_at(yaml_place const& place) {
  auto const text = place.text();
  auto const slash = text.find('/');
  auto const address = text.substr(0, slash);
  unsigned length = 0;
  auto const ipv4 = wire::parse_ipv4(address);
  auto const ipv6 = wire::parse_ipv6(address);
  bool good = slash != std::string::npos && (ipv4 || ipv6);
  if (good) {
    auto const* const end = text.data() + text.size();
    auto const [behind, error] = std::from_chars(text.data() + slash + 1, end, length);
    good = error == std::errc{} && behind == end && length <= (ipv4 ? 32U : 128U);
  }
  if (!good) place.refuse(fmt::format("'{}' is no prefix, such as 192.0.2.0/24 or 2001:db8::/32", text));
  return {ipv4 ? ip_address{*ipv4} : ip_address{*ipv6}, length};
}

template <class Kind, std::size_t N>
[[nodiscard]] Kind choice_at(yaml_place const& place, std::array<std::pair<std::string_view, Kind>, N> const& all) {
  auto const text = place.text();
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.first == text; });
  if (found != all.end()) return found->second;
  std::string names;
  for (auto const& one : all) names += fmt::format("{}{}", names.empty() ? "" : ", ", one.first);
  place.refuse(fmt::format("'{}' is none of {}", text, names));
}

constexpr std::array executors{std::pair{std::string_view{"cpu"}, executor_kind::cpu},
                               std::pair{std::string_view{"kernel"}, executor_kind::kernel},
                               std::pair{std::string_view{"persistent"}, executor_kind::persistent},
                               std::pair{std::string_view{"graph"}, executor_kind::graph}};
constexpr std::array placements{std::pair{std::string_view{"host"}, placement::host},
                                std::pair{std::string_view{"device"}, placement::device}};
constexpr std::array arrangements{std::pair{std::string_view{"run-to-completion"}, arrangement::run_to_completion},
                                  std::pair{std::string_view{"isolated-rx"}, arrangement::isolated_rx}};

void read_plane(yaml_place const& place, data_plane_config& plane) {
  place.require_keys(
      {"executor", "placement", "gpus", "burst", "pipelines", "workers", "isolated_ring", "descriptors"});
  if (auto const at = place.find("executor")) plane.executor = choice_at(*at, executors);
  if (auto const at = place.find("placement")) plane.where = choice_at(*at, placements);
  if (auto const at = place.find("workers")) plane.workers = choice_at(*at, arrangements);
  if (auto const at = place.find("burst")) plane.burst = static_cast<std::uint32_t>(at->number(1, max_burst_size));
  if (auto const at = place.find("pipelines")) plane.pipelines = static_cast<std::uint16_t>(at->number(1, 1024));
  if (auto const at = place.find("isolated_ring")) {
    plane.isolated_ring = static_cast<std::uint32_t>(at->number(64, std::uint64_t{1} << 20));
  }
  if (auto const at = place.find("descriptors")) {
    plane.rx_descriptors = plane.tx_descriptors = static_cast<std::uint16_t>(at->number(64, 32768));
  }
  if (auto const at = place.find("gpus")) {
    plane.gpu.indexes.clear();
    for (auto const& one : at->items()) plane.gpu.indexes.push_back(static_cast<int>(one.number(0, 255)));
  }
}

[[nodiscard]] interface_config read_interface(yaml_place const& place) {
  place.require_keys({"name", "port", "mac", "mtu", "addresses"});
  interface_config made{.line = place.line(),
                        .name = place.at("name").text(),
                        .device = place.at("port").text(),
                        .mac = {},
                        .mtu = 1500,
                        .addresses = {}};
  if (auto const at = place.find("mac")) made.mac = mac_at(*at);
  if (auto const at = place.find("mtu")) made.mtu = static_cast<std::uint16_t>(at->number(1280, 9000));
  if (auto const at = place.find("addresses")) {
    for (auto const& one : at->items()) made.addresses.push_back(prefix_at(one));
  }
  return made;
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

}  // namespace

network_config read_network_config(std::string const& file) {
  auto const root = read_yaml(file);
  root.require_keys({"eal", "data_plane", "interfaces", "routes", "neighbours"});
  network_config config;
  config.file = file;
  config.plane.function = function_kind::router;
  if (auto const at = root.find("eal")) {
    for (auto const& word : at->items()) config.eal.push_back(word.text());
  }
  if (auto const at = root.find("data_plane")) read_plane(*at, config.plane);
  for (auto const& place : root.at("interfaces").items()) {
    auto one = read_interface(place);
    for (auto const& other : config.interfaces) {
      if (other.name == one.name) place.refuse(fmt::format("there is an interface '{}' already", one.name));
      if (other.device == one.device) place.refuse(fmt::format("port {} is interface {}'s", one.device, other.name));
    }
    config.interfaces.push_back(std::move(one));
  }
  if (auto const at = root.find("routes")) {
    for (auto const& place : at->items()) config.routes.push_back(read_route(config, place));
  }
  if (auto const at = root.find("neighbours")) {
    for (auto const& place : at->items()) config.neighbours.push_back(read_neighbour(config, place));
  }
  return config;
}

}  // namespace packetwarp
