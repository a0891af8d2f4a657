// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/interfaces_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "address/address_kind.h"
#include "address/ip_prefix.h"
#include "base/shown_text.h"
#include "cli/run/file/twin_reader.h"
#include "file/values.h"
#include "file/variables.h"

namespace packetwarp {
namespace {

// Names are words of commands, of metrics and of logs.
[[nodiscard]] std::string interface_name_at(yaml_place const& place) {
  auto made = place.name();
  constexpr std::size_t most_bytes = 64;
  if (made.size() > most_bytes) {
    place.refuse(fmt::format("has {} bytes; give a name of at most {}, such as left", made.size(), most_bytes));
  }
  if (made.find('/') != made.npos || !is_plainly_visible(made)) {
    place.refuse("has a space, a slash or a control character, or one that is not seen; give one word, such as left");
  }
  return made;
}

[[nodiscard]] interface_config read_interface(yaml_place const& place, port_reader& ports) {
  place.require_keys({"name", "port", "mac", "mtu", "addresses", "kernel"});
  interface_config made{.line = place.line(),
                        .name = interface_name_at(place.at("name")),
                        .device = ports.read(place.at("port")),
                        .mac = {},
                        .mtu = 1500,
                        .mtu_line = 0,
                        .addresses = {},
                        .twin = {}};
  if (auto const at = place.find("mac")) made.mac = unicast_mac_at(*at);
  if (auto const at = place.find("mtu")) {
    made.mtu = static_cast<std::uint16_t>(at->number(1280, 9000));
    made.mtu_line = at->line();
  }
  if (auto const at = place.find("addresses")) {
    for (auto const& one : at->items()) made.addresses.push_back(prefix_at(one));
  }
  if (auto const at = place.find("kernel")) made.twin = read_twin_section(*at, made.name);
  return made;
}

// Refuses the address at `place` if another interface has it, or this one has it twice.
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

// Loopback, multicast and unspecified addresses are no host's, nor are the first and the last one of an IPv4 prefix.
void require_host_address(ip_prefix const& own, yaml_place const& place) {
  if (std::visit([](auto a) { return routing::is_martian_source(a); }, own.address)) {
    place.refuse(fmt::format("{} is no host's address; give a unicast address", to_text(own.address)));
  }
  auto const use = reserved_use(own, own.address);
  if (!use.empty()) place.refuse(fmt::format("{} is {}; give a host's address", to_text(own.address), use));
}

// A prefix is on one wire: only one of the interfaces would look for its hosts. Each link has link-local addresses of
// its own (RFC 4291, 2.5.6).
void require_own_prefix(network_config const& config, ip_prefix const& own, yaml_place const& place) {
  auto const prefix = without_host_bits(own);
  if (std::visit([](auto a) { return routing::is_link_local(a); }, own.address)) return;
  for (auto const& other : config.interfaces) {
    for (auto const& taken : other.addresses) {
      if (without_host_bits(taken) != prefix) continue;
      place.refuse(fmt::format("{} is on interface {}'s wire already, by {}; give each interface a prefix of its own",
                               to_text(prefix), other.name, to_text(taken)));
    }
  }
}

}  // namespace

std::vector<port_device> read_interfaces(yaml_place const& list, network_config& config) {
  port_reader ports{environment_variable};
  for (auto const& place : list.items()) {
    auto one = read_interface(place, ports);
    for (auto const& other : config.interfaces) {
      if (other.name == one.name) place.refuse(fmt::format("there is an interface '{}' already", one.name));
      if (one.twin && other.twin && other.twin->name == one.twin->name) {
        place.at("kernel").refuse(fmt::format("'{}' is interface {}'s; give another name", one.twin->name, other.name));
      }
      if (other.device == one.device) place.refuse(fmt::format("port {} is interface {}'s", one.device, other.name));
    }
    for (std::size_t n = 0; n < one.addresses.size(); ++n) {
      auto const at = place.at("addresses").items()[n];
      require_new_address(config, one, n, at);
      require_host_address(one.addresses[n], at);
      require_own_prefix(config, one.addresses[n], at);
    }
    config.interfaces.push_back(std::move(one));
  }
  if (config.interfaces.empty()) list.refuse("give an interface at least: {name: left, port: 0}");
  return ports.devices();
}

}  // namespace packetwarp
