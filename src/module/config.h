// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "address/interface_index.h"
#include "address/ip_address.h"
#include "address/ip_prefix.h"
#include "module/sections.h"
#include "module/twin_section.h"
#include "plan/config.h"
#include "routing/router_limits.h"
#include "routing/router_ref.h"
#include "wire/address.h"

namespace packetwarp {

// The configuration of a network: passive data, each part with its line in the network's file, so that errors found
// later can be told by their place.
struct interface_config {
  int line{};
  std::string name;
  std::string device;  // the port's name ("net_af_packet0"), its number, or its device ("0000:01:10.0")
  std::optional<wire::mac_address> mac;  // default: the port's own
  std::uint16_t mtu{1500};               // bytes of an IP packet
  int mtu_line{};                        // 0: the MTU is the default
  std::vector<ip_prefix> addresses;
  std::optional<twin_section> twin;
};

struct route_config {
  int line{};
  ip_prefix to;
  std::optional<ip_address> via;  // a neighbour; without one, hosts on the interface's wire
  std::string interface;          // empty: the interface whose prefix contains `via`
  bool discard{};
};

struct neighbour_config {
  int line{};
  std::string interface;
  ip_address address;
  wire::mac_address mac;
};

struct network_config {
  std::string file;
  data_plane_config plane;
  std::vector<interface_config> interfaces;
  packetwarp::source_routes source_routes{packetwarp::source_routes::drop};
  std::vector<route_config> routes;
  std::vector<neighbour_config> neighbours;
  router_limits tables;  // for a start with these routes and neighbours
  module_sections sections;
};

// The position, among a config's interfaces, of one that it has.
[[nodiscard]] inline interface_index index_of(network_config const& config, std::string const& interface) {
  auto const& all = config.interfaces;
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.name == interface; });
  return interface_index{static_cast<std::uint16_t>(found - all.begin())};
}

}  // namespace packetwarp
